// SPDX-License-Identifier: Apache-2.0
// Devices: a tile per device for the selected value, arrows of a collective, blocks of the whole array.
// A device has a coordinate per axis; positions count them row-major, so that the last axis is the fastest.
const TILES = 256;  // most tiles of a drawing
const WIDTH = 396;  // of a drawing, in pixels
const LABEL = 30;  // least width of the column of an outer axis, in pixels
const NAMED_TILE = 60;  // width of a tile down to which names of axes take its room
const PEN = document.createElement('canvas').getContext('2d');
PEN.font = '11px system-ui, sans-serif';  // of labels
const widthOf = text => PEN.measureText(text).width;
const NUMBERS_WIDE = 190;  // most of a tile with numbers, in pixels

function coordsOf(position, sizes) {
  const coords = [];
  for (let k = sizes.length - 1; k >= 0; k--) {
    coords[k] = position % sizes[k];
    position = Math.floor(position / sizes[k]);
  }
  return coords;
}
const positionOf = (coords, sizes) => coords.reduce((at, c, k) => at * sizes[k] + c, 0);
const deviceAt = position => D.devices?.[position] ?? position;
const letterOf = n => (n >= 26 ? letterOf(Math.floor(n / 26) - 1) : '') + String.fromCharCode(97 + n % 26);
// One of `of` colours; `turn` shifts them all, so that two values beside each other differ.
function colour(n, of, turn = 0) {
  if (of < 2) return 'var(--equal)';
  const few = of <= 10, hue = 208 + (few ? (n + turn) * 360 / of : n * 137.5 + turn * 60);
  return `hsl(${hue} ${few ? 58 : 55}% ${few ? 76 - 8 * (n % 2) : 66 + 8 * (n % 3)}%)`;
}

// An axis of a sharding: a mesh axis, or "x(2)4": 4 positions of x behind slower factors of product 2.
function factorOf(name) {
  const part = AXES.includes(name) ? null : /^(.*)\((\d+)\)(\d+)$/s.exec(name);
  const axis = AXES.indexOf(part ? part[1] : name), size = part ? +part[3] : SIZES[axis] ?? 1;
  return {axis, size, below: part ? Math.max(1, (SIZES[axis] ?? 1) / (part[2] * size)) : 1};
}
const countOf = names => product((names ?? []).map(name => factorOf(name).size));
const blockOf = (names, coords) =>
    (names ?? [])
        .map(factorOf)
        .reduce((at, {axis, size, below}) => at * size + Math.floor((coords[axis] ?? 0) / below) % size, 0);
const axesIn = sharding => sharding ? [...(sharding.dims ?? []).flat(), ...(sharding.unreduced ?? [])] : [];
// Shardings are known of arguments, results, and the rows that enter or leave with them.
function shardingOf(line) {
  const row = rowOf(line), number = line.value?.[0];
  if (row.parent || number === undefined) return undefined;
  const whole = row.row?.op === 'enter' ? row.row.operands?.[0] : number;
  return [...D.arguments ?? [], ...D.results ?? []].find(known => known.value === whole)?.sharding;
}
// Devices of one class hold one value. Classes differ along V and U axes, and by block if that is known.
function classOf(coords, letters, sharding) {
  const own = coords.map((c, k) => 'VU'.includes(letters?.[k] ?? '-') ? c : '');
  const known = sharding ? [...(sharding.dims ?? []), sharding.unreduced] : [];
  return `${own}|${known.map(names => blockOf(names, coords))}`;
}

// How many positions of each axis are drawn. Idle axes go first; then the largest axis shrinks until all fit.
function frameOf(letters, traffic, sharding) {
  const busy = new Set([...(traffic?.axes ?? []), ...axesIn(sharding)].map(name => factorOf(name).axis));
  const keep =
      SIZES.map((n, k) => DEVICES <= TILES || busy.has(k) || 'VU'.includes(letters?.[k] ?? '-') ? n : 1);
  while (product(keep) > TILES) {
    const k = keep.indexOf(Math.max(...keep));
    keep[k] = Math.ceil(keep[k] / 2);
  }
  return keep;
}
// The last axis gives columns, in several lines if it is long.
function columnsOf(keep, widest) {
  const last = keep.at(-1) ?? 1, folds = Math.ceil(last / 16), columns = Math.ceil(last / folds);
  const lefts = leftsOf(keep, WIDTH - columns * Math.min(widest, NAMED_TILE)), left = lefts.at(-1) + 2;
  return {folds, columns, left, lefts, wide: Math.min(widest, (WIDTH - left) / columns)};
}
// Where the columns of the outer axes begin and end: as wide as their names, as far as there is room.
function leftsOf(keep, room) {
  const outer = AXES.slice(0, Math.max(0, keep.length - 1)), lefts = [0];
  let spare = room - LABEL * outer.length - 2;
  for (const name of outer) {
    const more = Math.max(0, Math.min(spare, widthOf(cut(name, 60)) + 8 - LABEL));
    spare -= more;
    lefts.push(lefts.at(-1) + LABEL + more);
  }
  return lefts;
}
// Where tiles lie. The axes before the last nest in rows.
function layoutOf(keep, tall, widest) {
  const {folds, columns, left, lefts, wide} = columnsOf(keep, widest), outer = keep.slice(0, -1), ys = [];
  const changed = row =>
      coordsOf(row, outer).slice(0, -1).filter((c, k) => c !== coordsOf(row - 1, outer)[k]).length;
  let y = 32;
  for (let row = 0; row < product(outer); row++) {
    y += row ? 6 * changed(row) : 0;
    for (let fold = 0; fold < folds; fold++, y += tall) ys.push(y);
  }
  const at = coords => {
    const c = coords.at(-1) ?? 0,
          row = positionOf(coords.slice(0, -1), outer) * folds + Math.floor(c / columns);
    return [left + c % columns * wide, ys[row]];
  };
  return {at, wide, tall, outer, folds, left, lefts, width: Math.ceil(left + columns * wide + 2), height: y + 2};
}
function cutTo(text, room) {
  let most = Math.min(text.length, 60);
  while (most > 1 && widthOf(cut(text, most)) > room) most--;
  return cut(text, most);
}
function labelsOf(keep, {at, wide, tall, outer, folds, left, lefts}) {
  const last = keep.length - 1,
        text = (x, y, label, full, anchor = 'middle') =>
            h('text', {x, y, 'text-anchor': anchor}, h('title', full ?? label), label);
  // One tile for a whole axis has no coordinate of its own.
  const count = (c, k) => keep[k] < 2 && SIZES[k] > 1 ? '*' : String(c);
  const columns = last < 0 || folds > 1 ? [] : upTo(keep[last]).filter(c => wide >= 18 || c % 4 === 0);
  return [
    last >= 0 && text(left, 11, `${cut(AXES[last], 40)} \u2192`, AXES[last], 'start'),
    columns.map(c => text(left + (c + .5) * wide - 2, 27, count(c, last))), outer.map((n, k) => {
      const inner = product(outer.slice(k + 1));
      return [
        text(lefts[k] + 1, 27, cutTo(AXES[k], lefts[k + 1] - lefts[k] - 4), AXES[k], 'start'),
        upTo(product(outer.slice(0, k + 1)))
            .map(row => text(lefts[k] + 12, at([...coordsOf(row * inner, outer), 0])[1] + tall / 2 + 3,
                             count(row % n, k)))
      ];
    })
  ];
}
// Pairs of tiles that exchange data: [from, to]. A group is a chain of its devices, in order.
function pairsOf(traffic, keep) {
  const joint = (traffic.axes ?? []).map(name => AXES.indexOf(name)).filter(k => k >= 0),
        sizes = joint.map(k => SIZES[k]);
  const chains = traffic.groups ?? [upTo(product(sizes))],
        lines = upTo(product(keep))
                    .map(tile => coordsOf(tile, keep))
                    .filter(coords => joint.every(k => coords[k] === 0));
  const moved = (base, position) => {
    const coords = [...base];
    coordsOf(position, sizes).forEach((c, k) => {
      coords[joint[k]] = c;
    });
    return coords;
  };
  return lines
      .flatMap(base => chains.flatMap(
                   chain => chain.slice(1).map((to, k) => [moved(base, chain[k]), moved(base, to)])))
      .filter(ends => ends.every(coords => coords.every((c, k) => c < keep[k])));
}
// An arrow keeps clear of the device's number, at the top left of its tile.
function arrow([from, to], both, {at, wide, tall}) {
  const [a, b] = [at(from), at(to)], steep = a[0] === b[0], middle = Math.min(21, tall / 2);
  const shift = steep ? [wide - Math.min(14, wide / 2), tall / 2] : [wide / 2 - 1, middle];
  const apart = steep ? [0, Math.sign(b[1] - a[1]) * tall * .15] : [Math.sign(b[0] - a[0]) * wide * .2, 0];
  const [x, y] = [a[0] + shift[0] + apart[0], a[1] + shift[1] + apart[1]];
  const [X, Y] = [b[0] + shift[0] - apart[0], b[1] + shift[1] - apart[1]];
  const near = Math.hypot(b[0] - a[0], b[1] - a[1]) < 1.4 * (steep ? tall : wide),
        bend = near ? (both ? 0 : .25) : .14;
  const d = from.join() === to.join() ?
      `M${x - 5} ${y}a6 6 0 1 1 10 0` :
      `M${x} ${y}Q${(x + X) / 2 + (Y - y) * bend} ${(y + Y) / 2 - (X - x) * bend} ${X} ${Y}`;
  const opacity = tall < 30 || wide < 40 ? .5 : 1;  // over numbers of small tiles
  return h('path.arrow', {d, opacity, 'marker-end': 'url(#tip)', 'marker-start': both && 'url(#tip)'});
}
// The lines of its numbers that each tile has room for.
function numbersIn(numbers, keep, traffic) {
  if (!numbers) return {};
  // Arrows between rows of tiles run along the right edge.
  const {wide, folds} = columnsOf(keep, NUMBERS_WIDE), room = wide - (traffic && keep.length > 1 ? 16 : 0);
  const most = Math.min(9, Math.max(3, Math.floor(32 / (product(keep.slice(0, -1)) * folds))));
  const texts = numbers.map(text => fitted(text, room, most));
  return {texts, deep: Math.max(1, ...texts.map(({lines}) => lines.length))};
}
function tileOf(device, {at: [x, y], fill, letter, terms, number, title, stands, enter}, {wide, tall}) {
  const width = wide - 3, height = tall - 3, small = wide < 34;
  const edge = {stroke: terms ? 'var(--U)' : 'none', 'stroke-width': 2.5, 'stroke-dasharray': terms && '5 3'};
  const baseline = y + Math.min(14, height / 2 + 4),
        size = Math.min(11, wide / (String(device).length * .75 + .4));
  const name = small ?
      h('text.ink', {x: x + width / 2, y: baseline, 'text-anchor': 'middle', style: `font-size:${size}px`},
        device) :
      h('text.ink', {x: x + 5, y: baseline}, terms ? '+ ' : '', device, stands > 1 && ` \u00d7${stands}`);
  const below = !small && height > 28 && letter &&
      h('text.ink', {x: x + 5, y: y + height - 6, style: 'font-style:italic'}, letter);
  const inside = number?.lines.map((line, k) => h('text.number', {x: x + 5, y: y + 27 + 12 * k}, line));
  return h('g', enter && {mouseenter: enter, click: enter}, h('title', title),
           h('rect', {x, y, width, height, rx: 4, fill, ...edge}), name, inside ?? below);
}
// letters: a state per axis; numbers: a text per device, or one for all. `traffic` gives arrows.
function meshOf({letters, traffic, sharding, numbers, turn}) {
  const keep = frameOf(letters, traffic, sharding),
        tiles = upTo(product(keep)).map(tile => coordsOf(tile, keep));
  const {texts, deep} = numbersIn(numbers, keep, traffic), whole = h('div.pre.whole');
  const tall = numbers ? 24 + 12 * deep : Math.max(20, Math.min(44, 300 / product(keep.slice(0, -1))));
  const layout = layoutOf(keep, tall, numbers ? NUMBERS_WIDE : 94), {width, height} = layout;
  const found = tiles.map(coords => classOf(coords, letters, sharding)), classes = unique(found);
  const terms = unique([...AXES.filter((_, k) => letters?.[k] === 'U'), ...sharding?.unreduced ?? []]);
  const stands = product(SIZES.filter((n, k) => keep[k] === 1));  // devices behind one tile
  const isCut = texts?.some(text => !text.isWhole);
  const drawn = tiles.map((coords, k) => {
    const position = positionOf(coords, SIZES), n = classes.indexOf(found[k]);
    const own = numbers?.[position] === undefined ? 0 : position, number = numbers && spelt(numbers[own]);
    const name = `device ${deviceAt(position)}: ${comma(AXES.map((axis, a) => `${axis}=${coords[a]}`))}`;
    const look = {
      fill: colour(n, classes.length, turn),
      letter: classes.length > 1 && letterOf(n),
      terms: terms.length > 0
    };
    const title = numbers ? `${name}\n${number}` : name, enter = isCut && (() => renew(whole, title));
    if (enter && !k) enter();
    return tileOf(
        deviceAt(position), {...look, at: layout.at(coords), number: texts?.[own], stands, title, enter},
        layout);
  });
  const label = `${plural(DEVICES, 'device')}, ${plural(classes.length, 'different value')}`;
  const arrows = traffic ? pairsOf(traffic, keep).map(ends => arrow(ends, !traffic.pairs, layout)) : [];
  return [
    h('svg',
      {viewBox: `0 0 ${width} ${height}`, style: `max-width:${width}px`, role: 'img', 'aria-label': label},
      labelsOf(keep, layout), drawn, arrows),
    isCut && whole,
    h('p.dim', captionOf(classes.length, tiles.length, terms, sharding), shownOf(keep)),
    isCut && allNumbers(numbers)
  ];
}
function captionOf(classes, tiles, terms, sharding) {
  const sums = terms.length ? `Dashed: the value is the sum of the terms along ${comma(terms)}. ` : '';
  if (classes < 2) return sums || 'All devices hold the same value. ';
  const equal = classes < tiles ? ': tiles of one colour are equal' : '';
  return `${classes} different ${sharding ? 'blocks' : 'values'}${equal}. ${sums}`;
}
function shownOf(keep) {
  const parts = keep.map((n, k) => n === SIZES[k] ? '' :
                             n === 1              ? `those along ${AXES[k]} are equal` :
                                                    `the first ${n} of ${SIZES[k]} along ${AXES[k]}`);
  const tiles = product(keep);
  return tiles < DEVICES &&
      `${plural(tiles, 'tile')} for ${DEVICES} devices: ${comma(parts.filter(Boolean))}.`;
}
const allNumbers = numbers =>
    h('details', h('summary', 'all numbers'),
      table(['device', ''],
            numbers.slice(0, TILES).map(
                (text, k) => [numbers.length > 1 ? deviceAt(k) : 'all', h('div.pre', spelt(text))])));

// The whole array in blocks. A row has the type of a block, unless it is equal along a splitting axis.
const isWhole = (letters, sharding) =>
    !letters || axesIn(sharding).some(name => 'IR'.includes(letters[factorOf(name).axis] ?? '-'));
function sizesOf(type, letters, sharding) {
  const dims = (/\[([\d,]*)\]/.exec(type)?.[1] ?? '').split(',').filter(Boolean).map(Number);
  const whole = isWhole(letters, sharding);
  const split = dims.map((_, d) => countOf(sharding.dims?.[d]));
  return {
    dims: dims.map((n, d) => whole ? n : n * split[d]),
    split,
    block: dims.map((n, d) => whole ? Math.ceil(n / split[d]) : n)
  };
}
function blocksOf(type, letters, sharding) {
  const {dims, split, block} = sizesOf(type, letters, sharding), holders = new Map();
  for (const position of upTo(Math.min(DEVICES, 4096))) {
    const coords = coordsOf(position, SIZES), at = dims.map((_, d) => blockOf(sharding.dims?.[d], coords));
    if (!holders.has(at.join())) holders.set(at.join(), {at, devices: []});
    holders.get(at.join()).devices.push(deviceAt(position));
  }
  const list = [...holders.values()].slice(0, TILES), more = holders.size - list.length,
        cutUp = upTo(dims.length).filter(d => split[d] > 1);
  const range = ({at}) => at.map((b, d) => `${b * block[d]}:${Math.min(dims[d], (b + 1) * block[d])}`);
  const told = dims.map((n, d) => split[d] > 1 ?
                            `dim ${d} in ${split[d]} blocks of ${block[d]} over ${comma(sharding.dims[d])}` :
                            `dim ${d} whole`);
  return [
    h('h3', `The whole ${type.split('[')[0]}[${dims}] as ${sharding.text ?? '?'}`),
    h('p.dim', comma(told),
      sharding.unreduced?.length > 0 &&
          `; each device holds a term of the sum over ${comma(sharding.unreduced)}`,
      sharding.reduced?.length > 0 && `; gradients are terms over ${comma(sharding.reduced)}`),
    blockSvg(list, split, cutUp, range),
    (cutUp.length > 2 || more > 0) &&
        h('p.dim', cutUp.length > 2 && `The drawing shows dims ${cutUp[0]} and ${cutUp[1]}. `,
          more > 0 && `${more} more blocks are not shown.`),
    list.length > 1 &&
        h('details', {open: cutUp.length > 2 && ''}, h('summary', 'index ranges'),
          table(['devices', ...dims.map((_, d) => `dim ${d}`)],
                list.map(entry => [cut(comma(entry.devices), 40), ...range(entry)])))
  ];
}
// Draws two dims, the first that are split; the table has the others.
function blockSvg(list, split, cutUp, range) {
  const [down, across] = cutUp.length === 1 && cutUp[0] === split.length - 1 ? [undefined, cutUp[0]] : cutUp;
  const wide = 340 / (split[across] ?? 1), tall = Math.max(18, Math.min(30, 160 / (split[down] ?? 1)));
  const seen = list.filter(({at}) => at.every((b, d) => d === down || d === across || b === 0));
  const height = tall * (split[down] ?? 1) + 2;
  return h('svg', {
    viewBox: `0 0 342 ${height}`,
    style: 'max-width:342px',
    role: 'img',
    'aria-label': plural(list.length, 'block')
  },
           seen.map(entry => {
             const x = 1 + wide * (entry.at[across] ?? 0), y = 1 + tall * (entry.at[down] ?? 0),
                   held = entry.devices.join(' ');
             return h('g', h('title', `[${comma(range(entry))}] on devices ${held}`), h('rect', {
                        x,
                        y,
                        width: wide - 2,
                        height: tall - 2,
                        rx: 2,
                        fill: colour(list.indexOf(entry), list.length)
                      }),
                      h('text.ink', {x: x + 4, y: y + tall / 2 + 3},
                        wide > 14 && cut(held, Math.floor((wide - 6) / 6.6))));
           }));
}

function trafficText({axes, groups, pairs, sent, received, at_most}, isOfParts) {
  const n = product((axes ?? []).map(name => SIZES[AXES.indexOf(name)] ?? 1)), apart = DEVICES / n;
  const size = groups ? [...new Set(groups.map(group => group.length))].join(' or ') : n;
  const most = at_most ? 'at most ' : '';
  const peers = pairs ? plural((groups?.length ?? 0) * apart, 'pair') :
                        `${plural((groups?.length ?? 1) * apart, 'group')} of ${size} devices`;
  return `${isOfParts ? 'in all' : `${peers}; a device`} sends ${most}${bytes(sent)}, receives ${most}${
      bytes(received)}`;
}
const numbersOf = line => line.kind === 'input' ? line.numbers :
    line.value                                 ? rowOf(line).row?.numbers?.[line.scope.get(line.value[0]).k] :
                                                 undefined;
// Inside of loops and branches: which numbers stand here, or why there are none.
function numbersNote(line, numbers) {
  if (!line.parent || !outermost.some(each => each.row?.numbers)) return undefined;
  const loop = [line, ...upOf(line)].map(each => each.parent).find(part => part?.owner.row?.op === 'scan');
  if (numbers) return loop && `Numbers of the last trip of ${loop.trips}.`;
  return 'No numbers here: only the last trip of a scan, and a branch that all devices take, have some.';
}
function showMesh(line) {
  const row = rowOf(line), {value} = line, op = row.row?.op ?? line.kind, traffic = row.row?.traffic,
        params = paramsOf(row);
  const numbers = numbersOf(line), sharding = shardingOf(line), users = usersOf(line);
  const makers = makersOf(row).map(maker => ({...maker, numbers: numbersOf(maker.line)}));
  const above = value ? makers.filter(maker => numbers && maker.numbers) : makers.slice(0, 4);
  const whole = sharding && isWhole(value[2], sharding);
  const meaning = (letter, k) => whole && axesIn(sharding).some(name => factorOf(name).axis === k) ?
      'one array, in blocks' :
      MEANING[letter];
  const stateOf = (axis, letter, k) =>
      h('p', h('b', {class: `s ${letter}`}, letter), ' along ', h('b', axis), `: ${meaning(letter, k)}`);
  const states = letters => h('div.facts', AXES.map((axis, k) => stateOf(axis, letters[k], k)));
  renew(
      $('mesh'),
      h('h2', value ? `${nameOf(line)} = ${op} ` : op,
        value && h('span.dim', value[1], whole ? ', the whole array' : ' on each device')),
      value && states(value[2] ?? ''),
      traffic && h('p', h('b', `${op} over ${comma(traffic.axes)}`), ': ', trafficText(traffic, row.parts?.length)),
      above.map((maker, k) => [h('h3', `operand ${nameOf(maker.line)} `, h('span.dim', maker.line.value[1])),
                               value ? '' : states(maker.line.value[2] ?? ''), meshOf({
                                 letters: maker.line.value[2],
                                 numbers: maker.numbers,
                                 traffic,
                                 turn: (k + 1) / (above.length + 1)
                               })]),
      value &&
          [
            h('p.dim', numbersNote(line, numbers)),
            h('h3', above.length ? `\u2193 ${op} gives ${nameOf(line)}` : 'Devices'),
            meshOf({letters: value[2], traffic: above.length || row.parts?.length ? undefined : traffic, sharding, numbers})
          ],
      value && sharding && blocksOf(value[1], value[2], sharding),
      makers.length > 0 && h('p', 'operands: ', makers.map(maker => link(maker.line))),
      users.length > 0 &&
          h('p', 'used by: ', users.slice(0, 50).map(link),
            users.length > 50 && `and ${users.length - 50} more`),
      params && h('div.pre', params), row.at && h('p.dim', `${fileOf(row.at)}:${row.at.slice(1).join(':')}`));
  $('mesh').scrollTop = 0;
}
function showExchange(exchange) {
  renew($('mesh'), h('h2', `exchange of ${exchange.type}`), ['from', 'to'].map(name => exchange[name] && [
    h('h3', name), meshOf({sharding: exchange[name]}), blocksOf(exchange.type, undefined, exchange[name])
  ]));
  $('mesh').focus();
}
