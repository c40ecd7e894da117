// SPDX-License-Identifier: Apache-2.0
// The head of the page, keys, and the start.
function showHead() {
  const received = sum(starred.map(line => line.row.traffic.received ?? 0)),
        moved = sum((D.exchanges ?? []).map(e => e.received ?? 0));
  put($('title'), document.title);
  put($('machine'), D.machine ?? '');
  put($('figures'),
      `${plural(DEVICES, 'device')} \u00b7 ${plural(rows.length, 'row')} \u00b7 ${
          plural(starred.length, 'collective')} \u00b7 `,
      h('b', {title: 'counts each row once, also in loops and branches'}, bytes(received)),
      ' received by a device', starred.some(line => line.parent) && ' (a loop counts once)',
      D.exchanges?.length && `, ${bytes(moved)} in ${plural(D.exchanges.length, 'exchange')}`,
      OUT.kind === 'traced' && ' \u00b7 traced, not compiled');
  $('head').prepend(...AXES.map(axis => h('i', {title: axis, class: axis.length > 2 && 'long'}, axis)));
  document.body.style.setProperty('--axes', AXES.length);
  if (OUT.kind !== 'refused') return;
  const at = rows.find(line => line.row?.refused);
  $('refusal').hidden = false;
  put($('refusal'), h('p', h('b', `Refused: ${OUT.code ?? ''} `), OUT.message),
      h('ul', (OUT.notes ?? []).map(note => h('li', note))),
      at &&
          h('button.link', {click: () => select(at)},
            `show the row${OUT.at ? ` of ${placeOf(OUT.at)}` : ''}`));
}

function step(by, test) {
  for (let k = shown.indexOf(chosen) + by; k >= 0 && k < shown.length; k += by)
    if (shown[k].kind !== 'end' && (!test || test(shown[k]))) return select(shown[k]);
}
const isStarred = line => line.kind === 'row' && line.row.traffic;
const KEYS = {
  ArrowDown: () => step(1),
  j: () => step(1),
  n: () => step(1, isStarred),
  ArrowUp: () => step(-1),
  k: () => step(-1),
  p: () => step(-1, isStarred),
  Enter: () => fold(chosen),
  ' ': () => fold(chosen),
  ArrowLeft: () => fold(chosen, true),
  ArrowRight: () => fold(chosen, false),
  '/': () => $('search').focus(),
};
addEventListener('keydown', event => {
  const input = event.target.closest?.('input'),
        press = event.target.closest?.('button, summary') && 'Enter '.includes(event.key);
  if (input === $('search') && event.key === 'Escape') {
    input.value = '';
    draw();
  }
  if (input === $('search') && ['Escape', 'Enter'].includes(event.key)) $('list').focus();
  if (input || press || event.ctrlKey || event.metaKey || event.altKey || !KEYS[event.key] || !chosen) return;
  event.preventDefault();
  KEYS[event.key]();
});
$('list').addEventListener('click', event => {
  const line = lines[event.target.closest('.row')?.id.slice(1)];
  if (!line || line.kind === 'end') return;
  if (event.target.closest('button'))
    fold(line);
  else
    select(line);
});
$('search').addEventListener('input', () => draw());
$('only').addEventListener('change', () => draw());
addEventListener('beforeprint', () => {
  parts.forEach(part => {
    part.closed = false;
  });
  draw(true);
});
const byHash = () => /^#r?\d+$/.test(location.hash) ? rows[location.hash.replace(/\D/g, '')] : undefined;
addEventListener('hashchange', () => select(byHash()));

showHead();
showSource();
showPlan();
draw();
const counted =
    new Set([...document.querySelectorAll('#plan [data-step]')].map(node => node.dataset.step)).size;
select(byHash() ?? rows.find(line => line.row?.refused) ?? starred[0] ?? rows[0]);
Object.assign(document.documentElement.dataset, {
  rows: rows.length,
  collectives: starred.length,
  steps: counted,
  ready: Math.round(performance.now() + 0 * document.body.offsetHeight)
});
