// SPDX-License-Identifier: Apache-2.0
// The program as rows: model, list, selection.
'use strict';
const $ = id => document.getElementById(id), D = JSON.parse($('data').textContent);
const AXES = (D.mesh ?? []).map(axis => axis[0]), SIZES = (D.mesh ?? []).map(axis => axis[1]);
const product = list => list.reduce((a, b) => a * b, 1), sum = list => list.reduce((a, b) => a + b, 0);
const upTo = n => [...Array(n).keys()], DEVICES = product(SIZES), OUT = D.outcome ?? {kind: 'traced'};
const EAGER = 5000;  // up to so many lines are made at once
const DRAWN_IN_PRINT = 1000;  // up to so many lines are printed as they look; more as plain text
const CHUNK = 100;   // lines that are made together
const HEIGHT = 20;   // of a line, in pixels
const MEANING = {
  V: 'different values',
  I: 'equal',
  U: 'terms of a sum',
  R: 'equal; gradients are terms'
};
const DRAWN = /^(svg|g|rect|path|text|title|defs|marker)$/;

// Makes an element: h('p.dim', {title}, 'text', [more]). Functions become listeners, strings text nodes.
// Absent children are left out.
function h(name, ...children) {
  const [tag, ...classes] = name.split('.'),
              given = children[0]?.constructor === Object ? children.shift() : {};
  const node =
      DRAWN.test(tag) ? document.createElementNS($('svg').namespaceURI, tag) : document.createElement(tag);
  for (const [key, value] of Object.entries(classes.length ? {class: classes.join(' '), ...given} : given))
    if (typeof value === 'function')
      node.addEventListener(key, value);
    else if (value !== undefined && value !== false)
      node.setAttribute(key, value);
  return put(node, children);
}
function put(node, ...children) {
  node.append(...children.flat(9).filter(c => c || c === 0));
  return node;
}
function renew(node, ...children) {
  node.replaceChildren();
  put(node, children);
}
const cut = (text, most) => text.length > most ? text.slice(0, Math.max(1, most - 1)) + '\u2026' : text;
const plural = (n, name) => `${n.toLocaleString('en')} ${name}${n === 1 ? '' : 's'}`,
      comma = list => (list ?? []).join(', ');
const digits = n => n.toFixed(n < 10 ? 2 : n < 100 ? 1 : 0);
const time = ns => ns < 1e3 ? `${Math.round(ns)} ns` :
    ns < 1e6 ? `${digits(ns / 1e3)} us` :
    ns < 1e9 ? `${digits(ns / 1e6)} ms` :
               `${digits(ns / 1e9)} s`;
const bytes = (n = 0) => n < 1024 ? `${n} B` :
    n < 2 ** 20 ? `${(n / 1024).toFixed(1)} KiB` :
    n < 2 ** 30 ? `${(n / 2 ** 20).toFixed(1)} MiB` :
                  `${(n / 2 ** 30).toFixed(1)} GiB`;
const fileOf = at => D.files?.[at[0]] ?? '?', keyOf = at => at ? `${at[0]}:${at[1]}` : '';
const LASTS = (D.files ?? []).map(path => path.split('/').pop());
// Files are named by their last part, unless two share it.
const NAMES = LASTS.map((last, k) => LASTS.filter(other => other === last).length > 1 ? D.files[k] : last);
const baseOf = at => NAMES[at[0]] ?? '?', placeOf = at => `${baseOf(at)}:${at[1]}`;
const table = (head, body) => h('div.scroll',
                                h('table', h('tr', head.map(text => h('th', text))),
                                  body.map(cells => h('tr', cells.map(cell => h('td', cell))))));

// The program as a flat list of lines. Kinds: input and row, which are the rows; more, a further result;
// part, the head of a sub-program; end, its results.
// A scope maps the numbers of a part to their makers.
const lines = [], rows = [], starred = [];
function add(line) {
  line.id = lines.push(line) - 1;
  return line;
}
function walk(part, depth, parent) {
  const own = {scope: new Map(), depth, parent}, row = rows.length, star = starred.length;
  (part.inputs ?? []).forEach((value, k) => {
    const known = D.arguments?.find(each => each.value === value[0]);
    const name = parent ? '' : known?.name ?? `argument [${k}]`;
    addRow({...own, kind: 'input', value, name, numbers: part.numbers?.[k]}, [value]);
  });
  const made = (part.rows ?? []).map(each => walkRow(each, own));
  add({...own, kind: 'end', outputs: part.outputs ?? []});
  if (parent) Object.assign(parent, {made, rows: rows.length - row, stars: starred.length - star});
  return made;
}
function addRow(line, values) {
  line.number = rows.push(add(line)) - 1;
  values.forEach((value, k) => {
    const maker = k ? add({...line, kind: 'more', value, owner: line}) : line;
    line.scope.set(value[0], {line: maker, k, users: []});
  });
  return line;
}
function walkRow(row, own) {
  for (const number of row.operands ?? []) own.scope.get(number)?.users.push(lines.length);
  const values = row.results ?? [],
        line = addRow({...own, kind: 'row', row, value: values[0], at: row.at}, values);
  if (row.traffic) starred.push(line);
  line.parts = (row.parts ?? []).map((part, k) => {
    const name = part.name ?? (row.op === 'function' ? 'inside' : `part ${k}`);
    const head = add({...own, kind: 'part', name, owner: line, at: row.at, trips: part.trips ?? 1});
    walk(part, own.depth + 1, head);
    return head;
  });
  return line;
}
const outermost = walk(D.program ?? {}, 0),
      results = new Map((D.program?.outputs ?? []).map((number, k) => [number, k]));
// Functions that a refusal has left, from the innermost.
const refusedRow = rows.find(line => line.row?.refused);
const inner = OUT.kind === 'refused' ? lines.findLastIndex(line => line.kind !== 'end') + 1 : lines.length;
const UNFINISHED = lines.slice(inner), isRefused = line => line === (refusedRow ?? UNFINISHED[0]);
const parts = lines.filter(line => line.kind === 'part'), rowOf = line => line.owner ?? line;
parts.forEach(part => {
  part.closed = rows.length > EAGER;
});
const unique = list => [...new Set(list)];
const makersOf = line =>
    unique((line.row?.operands ?? []).map(number => line.scope.get(number))).filter(Boolean);
const usersOf = line => line.value ? unique(line.scope.get(line.value[0]).users).map(id => lines[id]) : [];
const paramsOf = line => comma(line.row?.p?.map(([name, text]) => `${name}=${text}`)),
      nameOf = line => `%${line.value[0]}`;
const operandsOf = line => comma(line.row?.operands?.map(number => `%${number}`));

// The list. All lines have one height. Up to EAGER lines are made at once; else a chunk when it comes near.
let shown = [], chosen = null, marks = new Map(), ofStep = new Set();
const watcher = new IntersectionObserver(seen => seen.forEach(s => s.isIntersecting && fill(s.target)),
                                         {root: $('list'), rootMargin: '600px'});
const textOf = line => line.text ??= [
  line.name, line.value && nameOf(line), line.row?.op ?? line.kind, operandsOf(line), line.value?.[1],
  paramsOf(line), line.at && placeOf(line.at)
].join(' ').toLowerCase();
function wanted() {
  const query = $('search').value.trim().toLowerCase(), only = $('only').checked, keep = new Set();
  const found = rows.filter(line => (!only || line.row?.traffic) && textOf(line).includes(query));
  $('count').textContent = query || only ? `${found.length} of ${plural(rows.length, 'row')}` : '';
  for (const line of lines) line.away = line.parent && (line.parent.away || line.parent.closed);
  if (!query && !only) return lines.filter(line => !line.away);
  for (const line of found)
    for (let up = line; up; up = up.owner ?? up.parent) keep.add(up);
  return lines.filter(line => keep.has(line));
}
function draw(all) {
  watcher.disconnect();
  shown.forEach(line => {
    line.node = null;
  });
  shown = wanted();
  shown.forEach((line, k) => {
    line.index = k;
  });
  const chunks = upTo(Math.ceil(shown.length / CHUNK)).map(k => {
    const own = shown.slice(k * CHUNK, (k + 1) * CHUNK), size = `${own.length * HEIGHT}px`;
    return Object.assign(
        h('div.chunk', {role: 'rowgroup', style: `height:${size};contain-intrinsic-size:auto ${size}`}),
        {lines: own});
  });
  renew($('list'), chunks);
  $('list').setAttribute('aria-rowcount', shown.length);
  chunks.forEach(chunk => all || shown.length <= EAGER ? fill(chunk) : watcher.observe(chunk));
}
function fill(chunk) {
  if (!chunk.firstChild) put(chunk, chunk.lines.map(make));
  watcher.unobserve(chunk);
}
function make(line) {
  const {kind, at} = line, open = {'aria-expanded': kind === 'part' && String(!line.closed)};
  const number = kind === 'more' ? undefined : line.number;
  const attributes = {id: `l${line.id}`, role: 'row', 'aria-level': line.depth + 1, 'data-row': number};
  const place = at && kind !== 'part' && [h('span', baseOf(at)), `:${at[1]}`];
  line.node = h('div', {...attributes, 'aria-rowindex': line.index + 1, ...open}, cellsOf(line),
                h('code', {role: 'gridcell'}, '  '.repeat(line.depth + (kind === 'more')), words(line, open)),
                h('span.tags', {role: 'gridcell'}, tagsOf(line)),
                h('span.w', {role: 'gridcell', title: at && `${fileOf(at)}:${at[1]}`}, place));
  return paint(line);
}
function cellsOf({value}) {
  return AXES.map((axis, k) => {
    const letter = value?.[2]?.[k] ?? '', title = letter && `${axis}: ${MEANING[letter]}`;
    return h('span', {role: 'gridcell', class: `s ${letter}`, title}, letter);
  });
}
function tagsOf(line) {
  const {kind, row, value} = line, traffic = kind === 'row' && row.traffic;
  const result = line.parent || kind === 'input' ? undefined : results.get(value?.[0]);
  return [
    traffic && h('span.tag', `${comma(traffic.axes)} \u00b7 `, traffic.at_most && 'at most ',
                 bytes(traffic.received)),
    line.stars > 0 && h('span.tag', plural(line.stars, 'collective')),
    kind === 'input' && line.name && h('span.tag.name', {title: line.name}, cut(line.name, 60)),
    result !== undefined && h('span.tag.name', `result ${result}`),
    row?.refused && h('span.tag', {style: 'background:var(--bad)'}, 'refused here')
  ];
}
function words(line, open) {
  const {kind, row, value} = line, type = value && h('i', `  ${value[1]}`);
  if (UNFINISHED.includes(line)) return isRefused(line) ? h('b', 'refused here') : h('i', 'not finished');
  if (kind === 'end') return h('i', `return ${comma(line.outputs.map(number => `%${number}`))}`);
  if (kind === 'part')
    return [
      h('button.fold', {tabindex: -1, ...open, 'aria-label': `fold ${cut(line.name, 80)}`},
        line.closed ? '\u25b8' : '\u25be'),
      h('b', cut(line.name, 200)), h('i', `  ${plural(line.rows, 'row')}`)
    ];
  if (kind === 'input') return [`${nameOf(line)} = input`, type];
  if (kind === 'more') return [`${nameOf(line)} = also of ${nameOf(line.owner)}`, type];
  return [
    value ? `${nameOf(line)} = ` : '', row.traffic || row.refused ? h('b', row.op) : row.op,
    ` ${operandsOf(line)}`.trimEnd(), type, h('i', `  ${cut(paramsOf(line), 300)}`)
  ];
}
function paint(line) {
  if (!line.node) return undefined;
  line.node.className = [
    'row', line.kind, line.kind === 'row' && line.row.traffic && 'c', isRefused(line) && 'bad',
    ofStep.has(line) && 'step', marks.get(line)
  ].filter(Boolean).join(' ');
  line.node.setAttribute('aria-selected', String(line === chosen));
  return line.node;
}

// Selection marks the row, the makers of its operands, its users, and the rows of its source line.
function select(line, byStep) {
  if (!line) return;
  const old = [...marks.keys()], key = keyOf(line.at), row = rowOf(line);
  const mark = (list, name) => list.forEach(other => marks.set(other, `${marks.get(other) ?? ''} ${name}`));
  marks = new Map();
  chosen = line;
  mark(key ? lines.filter(other => keyOf(other.at) === key && other.kind !== 'part') : [], 'same');
  mark(makersOf(row).map(maker => maker.line), 'from');
  mark(usersOf(line), 'use');
  mark([line], 'on');
  for (const other of new Set([...old, ...marks.keys()])) paint(other);
  reveal(line);
  if (location.protocol !== 'about:') history.replaceState(null, '', `#r${row.number}`);
  showMesh(line.kind === 'part' ? row : line);
  document.querySelectorAll('[data-at]')
      .forEach(node => node.classList.toggle('on', node.dataset.at === key));
  if (!byStep) pickStepOf(row);
}
function reveal(line) {
  for (let up = line.parent; up; up = up.parent) up.closed = false;
  if (!shown.includes(line)) draw();
  if (!shown.includes(line)) {
    $('search').value = '';
    $('only').checked = false;
    draw();
  }
  const list = $('list'), y = line.index * HEIGHT, low = y + HEIGHT - list.clientHeight;
  if (y < list.scrollTop)
    list.scrollTop = y - 3 * HEIGHT;
  else if (low > list.scrollTop)
    list.scrollTop = low + 3 * HEIGHT;
  fill(list.children[Math.floor(line.index / CHUNK)]);
  list.setAttribute('aria-activedescendant', `l${line.id}`);
}
const goTo = key => {
  const here = rows.filter(line => keyOf(line.at) === key);
  select(here.find(line => line.row.traffic) ?? here[0]);
  $('list').scrollIntoView({block: 'nearest'});
};
const placeLink = at =>
    at && h('button.link', {title: fileOf(at), click: () => goTo(keyOf(at))}, placeOf(at));
const link = line => h('button.link', {click: () => select(line)}, line.value ? `${nameOf(line)} ` : '',
                       line.row?.op ?? 'input');
function fold(line, closed) {
  const own = line.kind === 'part' ? [line] : line.parts ?? [], to = closed ?? !own[0]?.closed;
  if (!own.length) return closed && line.parent && select(line.parent);
  own.forEach(part => {
    part.closed = to;
  });
  draw();
  select(line);
}
