// SPDX-License-Identifier: Apache-2.0
// Source lines with their bytes and time; and the plan: steps over time, buffers of the arena, exchanges.
const timesOf = step => step.took?.length ? step.took : step.about ?? [];
const bar = (part, whole, kind) => h('i', {class: kind, style: `--part:${whole ? 100 * part / whole : 0}%`});
const aside = (...text) => h('span.dim', ...text);

const upOf = line => line.parent ? [line.parent, ...upOf(line.parent)] : [];
const tripsOf = line => upOf(line).reduce((n, up) => n * up.trips, 1);
// A row with parts has their bytes, those of all trips.
const isTotal = line => !upOf(line).some(up => up.owner.row?.traffic);
// The rows of each part of a step.
function partsOf(step, made) {
  const owner = (step.rows ?? []).map(n => made[n]).find(line => line?.parts.length);
  return (step.parts ?? []).map((part, n) => ({part, made: owner?.parts[n % owner.parts.length].made ?? []}));
}
// Bytes of a value on one device: "f32[64,128]".
function bytesOf(type) {
  const [, dtype, dims] = /^(.*?)\[([\d,]*)\]/.exec(type) ?? ['', '', ''];
  return product(dims.split(',').filter(Boolean).map(Number)) * (/\d+$/.exec(dtype)?.[0] ?? 8) / 8;
}
const touchedBy = line =>
    sum([...makersOf(line).map(maker => maker.line.value), ...line.row?.results ?? []].map(([, type]) => bytesOf(type)));
// Gives the time of a step to source lines. A loop or branch gives its time to the steps inside, in proportion to
// theirs; a step to the lines of its ops, in proportion to the bytes that these read and write.
function shareTime(step, made, ns, give) {
  const inside = partsOf(step, made).flatMap(({part, made}) => (part.steps ?? []).map(each => ({step: each, made})));
  const isTimed = inside.some(each => each.step.took?.length);
  const timeOf = ({step}) => Math.max(0, ...(isTimed ? step.took ?? [] : timesOf(step)));
  const all = sum(inside.map(timeOf)), own = (step.rows ?? []).map(n => made[n]).filter(line => line?.at);
  if (all > 0) return inside.forEach(each => shareTime(each.step, each.made, ns * timeOf(each) / all, give));
  const touched = sum(own.map(touchedBy));
  own.forEach(line => give(line.at, ns * (touched ? touchedBy(line) / touched : 1 / own.length)));
  if (!own.length) give(step.at, ns);
}
// Per source line: bytes that a device sends, and time of the slowest worker. The lines inside of a loop have its
// bytes and time, not the line of the loop.
function costsOf() {
  const found = new Map(), none = {};
  const entry = at => {
    if (!at) return none;
    if (!found.has(keyOf(at))) found.set(keyOf(at), {at, sent: 0, ns: 0});
    return found.get(keyOf(at));
  };
  if (OUT.kind === 'refused') entry(OUT.at);
  for (const line of rows)
    if (!line.parts?.length) entry(line.at).sent += (line.row?.traffic?.sent ?? 0) * tripsOf(line);
  const give = (at, ns) => {
    if (ns > 0) entry(at).ns += ns;
  };
  for (const step of OUT.steps ?? []) shareTime(step, outermost, Math.max(0, ...timesOf(step)), give);
  return found;
}
function showSource() {
  const found = costsOf(), all = [...found.values()].sort((a, b) => b.sent - a.sent || b.ns - a.ns);
  const most = Math.max(...all.map(e => e.sent)), longest = Math.max(...all.map(e => e.ns)),
        timed = longest > 0;
  const bars =
      e => h('span.meter', bar(e?.sent ?? 0, most), timed && bar(e?.ns ?? 0, longest, 'time'));
  const go = e => ({'data-at': keyOf(e.at), click: () => goTo(keyOf(e.at))});
  const refused = OUT.kind === 'refused' && keyOf(OUT.at);
  const textOf = at => D.sources?.[at[0]]?.[at[1]]?.trim();
  const costly = all.filter(e => e.sent || e.ns), head = ['line', 'sent', timed && 'time', ''];
  const isEmpty = !costly.length && !(D.sources ?? []).some(texts => Object.keys(texts).length);
  document.body.classList.toggle('nosource', isEmpty);
  put($('source'),
      costly.length > 0 &&
          [
            h('h2', 'Lines by bytes sent ', aside('by a device')),
            timed && h('p.dim', 'Time: of each step, shared by the lines of its ops in proportion to the bytes that these read and write.'),
            h('table', h('tr', head.filter(text => text !== false).map(text => h('th', text))),
              costly.slice(0, 100).map(
                  e => h('tr', {title: textOf(e.at), ...go(e)},
                         h('td', h('button.link', {title: fileOf(e.at)}, placeOf(e.at))),
                         h('td', bytes(e.sent)), timed && h('td', e.ns > 0 && time(e.ns)), h('td', bars(e)))))
          ],
      (D.sources ?? []).map((texts, file) => {
        const numbers = Object.keys(texts).map(Number).sort((a, b) => a - b);
        return numbers.length > 0 && [
          h('h3', fileOf([file])), h('div.scroll', numbers.map((number, k) => {
            const e = found.get(`${file}:${number}`),
                  meter = costly.length > 0 && (e ? bars(e) : h('span.meter')),
                  words = [meter, h('u', number), texts[number] || ' '],
                  look = {class: e && keyOf(e.at) === refused ? 'src wrong' : 'src'};
            return [
              k > 0 && numbers[k - 1] < number - 1 && h('div.src.dim', '           \u22ee'),
              e ? h('button', {...look, ...go(e)}, words) : h('div', look, words)
            ];
          }))
        ];
      }));
}

// Phases follow each other; within a phase each worker does its steps in order. A call takes until `end`, longer
// than its steps do.
function schedule(steps, workers, end) {
  const free = Array(workers).fill(0), boxes = [], phases = [], meet = () => free.fill(Math.max(...free));
  steps.forEach((step, k) => {
    const times = timesOf(step), busy = upTo(workers).filter(w => times[w] > 0),
          fresh = phases.at(-1)?.phase !== step.phase;
    if (fresh || step.split === 'together') meet();
    if (fresh) phases.push({phase: step.phase ?? 0, from: free[0]});
    const idle = Math.min(workers - 1, +(/^worker (\d+)$/.exec(step.split ?? '')?.[1] ?? 0));
    for (const w of busy.length ? busy : [idle]) {
      boxes.push({step, k, w, from: free[w], ns: times[w] ?? 0});
      free[w] += times[w] ?? 0;
    }
  });
  const busy = Math.max(...free), total = Math.max(busy, end) || 1;
  return {boxes, busy, total, phases: phases.map((phase, k) => ({...phase, to: phases[k + 1]?.from ?? busy}))};
}
// A time axis of steps. The selected step shows its figures below, and there the axes of its sub-plans.
// made: the rows of the program that the steps do, by number.
function timeline(steps, made, onStep, end = 0) {
  const workers = Math.max(1, OUT.workers ?? 1, ...steps.map(step => timesOf(step).length));
  const plan = schedule(steps, workers, end), detail = h('div'), lanes = lanesOf(plan, workers, k => pick(k));
  let now = -1;
  const pick = (k, byRow) => {
    now = k;
    for (const box of lanes.flatMap(lane => [...lane.querySelectorAll('.box')]))
      box.classList.toggle('on', +box.dataset.step === k);
    renew(detail, detailOf(steps[k], k, made));
    onStep?.(k);
    if (!byRow) markRows((steps[k].rows ?? []).map(n => made[n]).filter(Boolean));
  };
  const keydown = event => {
    const by = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (!by || !steps.length) return;
    event.preventDefault();
    event.stopPropagation();
    pick(Math.max(0, Math.min(steps.length - 1, now + by)));
  };
  const label = `${plural(steps.length, 'step')} over time: left and right select one`;
  const ticks = [0, .25, .5, .75, 1].map(t => h('span', t ? time(t * plan.total) : '0'));
  const axis = h('div.lanes', {tabindex: 0, role: 'group', 'aria-label': label, keydown}, lanes);
  return {pick, busy: plan.busy, node: h('div', axis, h('div.ticks.gutter.dim', ticks), detail)};
}
// The band of phases, and a lane of boxes per worker.
function lanesOf({boxes, busy, total, phases}, workers, pick) {
  const span = (from, ns) => `left:${100 * from / total}%;width:${100 * ns / total}%`;
  const lanes = upTo(workers).map(w => h('div.lane', h('em.dim', `worker ${w}`)));
  for (const {step, k, w, from, ns} of boxes) {
    const name = comma(step.ops) || step.kind,
          figures = `${step.kind}, ${step.split ?? ''}, ${time(ns)}, ${bytes(step.bytes)}`;
    const title = `step ${k}: ${name}\n${figures}`, look = {class: `box ${step.kind}`, style: span(from, ns)};
    put(lanes[w], h('div', {...look, title, 'data-step': k, click: () => pick(k)}, name));
  }
  const bands = phases.map(({phase, from, to}) => h('span', {style: span(from, to - from)},
                                                    to - from > .06 * total && `phase ${phase}`));
  if (busy < total) lanes.forEach(lane => put(lane, h('div.rest', {style: span(busy, total - busy), title: restOf(busy, total)})));
  return [h('div.band', bands), ...lanes];
}
const restOf = (busy, end) => busy < end ?
    `${time(end - busy)} of ${time(end)} between steps (starts, barriers, waits), hatched at the end` :
    busy > end && `the steps alone add up to ${time(busy)}`;
const transferred = ({sent, received}) =>
    `sends ${bytes(sent)} to other processes, receives ${bytes(received)} from them`;
function detailOf(step, k, made) {
  const one = (ns, w, list) => ns > 0 && (list.length > 1 ? `${time(ns)} on worker ${w}` : time(ns));
  const busy = list => comma(list.map(one).filter(Boolean)) || time(0);
  return [
    h('p', h('b', `step ${k}: ${cut(comma(step.ops), 300) || step.kind}`),
      ` \u2014 ${step.kind} ${step.split ?? ''}`, step.bytes > 0 && ` \u00b7 moves ${bytes(step.bytes)}`,
      step.live > 0 && ` \u00b7 arena in use ${bytes(step.live)}`,
      step.took?.length > 0 && ` \u00b7 took ${busy(step.took)}`,
      step.about?.length > 0 && ` \u00b7 estimated ${busy(step.about)}`,
      step.transfers &&
          ` \u00b7 ${transferred(step.transfers)}`,
      ' ', placeLink(step.at)),
    partsOf(step, made)
        .map(({part, made}, n) =>
                 h('div.nest', h('b', part.name ?? `part ${n}`), timeline(part.steps ?? [], made).node))
  ];
}
function markRows(list) {
  const old = ofStep;
  ofStep = new Set(list);
  for (const line of new Set([...old, ...list])) paint(line);
  select(list.find(line => line.row.traffic) ?? list[0], true);
}
// The line of the value that a buffer holds.
function makerOf({row, result = 0}) {
  const line = outermost[row], value = line?.row.results?.[result];
  return value && line.scope.get(value[0])?.line;
}
// Buffers as boxes. Across: the steps that need the buffer; down: its place in the arena.
function arenaOf(buffers, steps) {
  const high = Math.max(1, ...buffers.map(buffer => buffer.offset + buffer.bytes)),
        now = h('div.now', {hidden: ''});
  const percent = (part, whole) => `${100 * part / whole}%`;
  const boxes = buffers.map(buffer => {
    const {offset, bytes: size, first, last, kind} = buffer, maker = makerOf(buffer);
    const value = (maker ? `${nameOf(maker)} = ` : '') + (buffer.value ?? kind);
    const look = {
      class: `box ${kind}`,
      title: `${value}: ${bytes(size)} at ${offset}, steps ${first} to ${last}`,
      style: `left:${percent(first, steps)};width:${percent(last - first + 1, steps)};top:${
          percent(offset, high)};height:${percent(size, high)}`
    };
    const click = () => {
      if (kind !== 'constant') pickStep(first);
      if (maker) select(maker, true);
    };
    return h('div', {...look, click}, size > .08 * high && `${value} ${bytes(size)}`);
  });
  const label = `${plural(buffers.length, 'buffer')} in ${bytes(high)}`,
        look = {class: buffers.length > 100 ? 'arena many' : 'arena', role: 'img', 'aria-label': label};
  return {
    node: h('div', h('h3', 'Arena ', aside(`down: ${bytes(high)}; across: steps 0 to ${steps - 1}`)),
            h('div.gutter', h('div', look, boxes, now))),
    at: k => {
      now.hidden = false;
      now.style.left = percent(k, steps);
      now.style.width = percent(1, steps);
    }
  };
}

let pickStep = () => {};
function pickStepOf(row) {
  while (row.parent) row = row.parent.owner;
  const number = outermost.indexOf(row), k = (OUT.steps ?? []).findIndex(step => step.rows?.includes(number));
  if (k >= 0) pickStep(k, true);
}
function showPlan() {
  const memory = Object.entries(OUT.memory ?? {}).map(([name, n]) => [name, bytes(n)]);
  const notes = (OUT.notes ?? []).map(note => h('p.dim', note));
  if (OUT.kind === 'steps') put($('plan'), stepsOf(memory), notes);
  if (OUT.kind === 'xla')
    put($('plan'), h('h2', 'Compiled by XLA'),
        table(['figure', ''],
              [
                ['compiled in', time(OUT.compiled ?? 0)], ...memory,
                ...(OUT.costs ?? []).map(([name, n]) => [name, n.toLocaleString('en')])
              ]),
        copies(), notes);
  if (D.exchanges?.length) put($('plan'), h('h3', 'Exchanges'), D.exchanges.map(exchangeOf));
  if ($('plan').firstChild) return;
  document.body.classList.add('noplan');
  $('plan').hidden = true;
}
const copies = () => (OUT.copies ?? []).map(
    copy => h('p', `a call copies ${copy.name}, ${bytes(copy.bytes)}, to ${copy.as?.text ?? '?'}`));
function stepsOf(memory) {
  const steps = OUT.steps ?? [],
        arena = OUT.buffers?.length ? arenaOf(OUT.buffers, Math.max(1, steps.length)) : undefined;
  const isMeasured = steps.some(step => step.took?.length), end = (isMeasured ? OUT.took : OUT.about) ?? 0;
  const line = timeline(steps, outermost, k => arena?.at(k), end),
        kinds = [...new Set(steps.map(step => step.kind))];
  pickStep = line.pick;
  const times = [
    OUT.took && `took ${time(OUT.took)}`, OUT.about && `estimated ${time(OUT.about)}`
  ].filter(Boolean).join(', ');
  return [
    h('h2', `Plan: ${times} `,
      aside(`a call on ${plural(OUT.workers ?? 1, 'worker')}, ${plural(steps.length, 'step')} in `,
            plural(OUT.phases ?? 1, 'phase'), OUT.calls && `; median of ${plural(OUT.calls, 'call')}`)),
    h('div.facts', kinds.map(kind => h('span', h('span', {class: kind}, '\u2003'), ` ${kind}`)),
      aside(isMeasured ? 'width: measured time' : 'width: estimated time'),
      end > 0 && steps.length > 0 && h('span', {id: 'between'}, restOf(line.busy, end))),
    steps.length > 0 && line.node, arena?.node,
    memory.length > 0 &&
        [
          h('h3', 'Memory'), h('div.facts', memory.map(([name, text]) => h('span', `${name} `, h('b', text))))
        ],
    OUT.transfers && h('p', `A call ${transferred(OUT.transfers)}.`), copies()
  ];
}
function exchangeOf(exchange) {
  const steps = exchange.steps ?? [], most = Math.max(1, ...steps.map(step => step.received ?? 0));
  return h(
      'div',
      h('p', h('b', exchange.type), ` ${exchange.from?.text ?? '?'} \u2192 ${exchange.to?.text ?? '?'}, `,
        `${bytes(exchange.received)} received `, placeLink(exchange.at),
        h('button.link', {click: () => showExchange(exchange)}, 'blocks')),
      steps.length > 0 &&
          table(['step', 'sent', 'received', '', 'about', 'after it'],
                steps.map(step => [`${step.op} over ${comma(step.axes)}`, bytes(step.sent),
                                   bytes(step.received), h('span.meter', bar(step.received ?? 0, most)),
                                   step.about && time(step.about), step.after?.text])));
}
