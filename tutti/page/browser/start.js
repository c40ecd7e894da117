// SPDX-License-Identifier: Apache-2.0
// The head of the page, keys, and the start.
function showHead() {
  const costliest = [...costsOf().values()].filter(e => e.sent).sort((a, b) => b.sent - a.sent)[0];
  const most = starred.some(line => line.row.traffic.at_most) ? 'at most ' : '';
  const received = sum(starred.filter(isTotal).map(line => line.row.traffic.received ?? 0));
  put($('title'), document.title);
  put($('machine'), document.title.includes(D.machine ?? '') ? '' : D.machine);
  put($('remarks'), (D.remarks ?? []).map(text => h('p', text)));
  $('remarks').hidden = !D.remarks?.length;
  document.body.classList.toggle('norows', !rows.length);
  put($('figures'),
      `${plural(DEVICES, 'device')} \u00b7 ${plural(rows.length, 'row')} \u00b7 ${
          plural(starred.length, 'collective')} \u00b7 `,
      most, h('b', {title: 'with all trips of loops; of a while loop one trip'}, bytes(received)),
      ' received by a device',
      costliest && [' \u00b7 most sent by ', placeLink(costliest.at)],
      OUT.kind === 'traced' && ' \u00b7 traced, not compiled');
  $('head').prepend(...AXES.map(axis => h('i', {title: axis, class: axis.length > 2 && 'long'}, axis)));
  document.body.style.setProperty('--axes', AXES.length);
}
// The message, the place with its source line, and cures. Notes that begin with spaces are lines of source.
function showRefusal() {
  if (OUT.kind !== 'refused') return;
  const {at, notes = []} = OUT, row = refusedRow;
  const isCode = note => note.startsWith('  ');
  const text = at && D.sources?.[at[0]]?.[at[1]], code = notes.filter(isCode);
  if (!code.length && text)
    code.push(text, at[2] > 0 && text.slice(0, at[2] - 1).replace(/[^\t]/g, ' ') + '^');
  const place = at && `${fileOf(at)}:${at.slice(1).join(':')}`;
  $('refusal').hidden = false;
  put($('refusal'), h('p', h('b', `Refused: ${OUT.code ?? ''} `), OUT.message),
      place &&
          h('p', 'at ', row ? h('button.link', {click: () => select(row)}, place) : h('span.pre', place)),
      code.length > 0 && h('div.pre', code.filter(Boolean).join('\n')),
      h('ul', notes.filter(note => !isCode(note)).map(note => h('li', note))),
      row && !at && h('button.link', {click: () => select(row)}, 'show the row'));
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
// A browser takes 2 ms to lay a row out for print, and a line of plain text next to nothing.
function printPlainly() {
  const textOf = children => put(h('span'), children).textContent;
  const texts = lines.map(line => {
    const states = (line.value?.[2] ?? '').padEnd(AXES.length), indent = '  '.repeat(line.depth);
    const place = line.at ? placeOf(line.at) : '';
    return `${states}  ${indent}${textOf(words(line, {}))}  ${textOf(tagsOf(line))}  ${place}`.trimEnd();
  });
  renew($('print'), upTo(Math.ceil(texts.length / 500))
                        .map(k => h('pre', texts.slice(500 * k, 500 * (k + 1)).join('\n'))));
  document.body.classList.add('plain');
}
addEventListener('beforeprint', () => {
  if (lines.length > DRAWN_IN_PRINT) return printPlainly();
  parts.forEach(part => {
    part.closed = false;
  });
  draw(true);
});
addEventListener('afterprint', () => {
  document.body.classList.remove('plain');
  renew($('print'));
});
const byHash = () => /^#r?\d+$/.test(location.hash) ? rows[location.hash.replace(/\D/g, '')] : undefined;
addEventListener('hashchange', () => select(byHash()));

showHead();
showRefusal();
showSource();
showPlan();
draw();
const counted =
    new Set([...document.querySelectorAll('#plan [data-step]')].map(node => node.dataset.step)).size;
select(byHash() ?? refusedRow ?? (OUT.kind === 'refused' ? rows.at(-1) : starred[0]) ??
       rows.find(line => line.kind === 'row') ?? rows[0]);
const wrong = document.querySelector('.src.wrong');
if (wrong) $('source').scrollTop = wrong.offsetTop - $('source').offsetTop - 90;
Object.assign(document.documentElement.dataset, {
  rows: rows.length,
  collectives: starred.length,
  steps: counted,
  ready: Math.round(performance.now() + 0 * document.body.offsetHeight)
});
