// SPDX-License-Identifier: Apache-2.0
// Numbers of an array as lines of text: "[[1 2] [3 4]]" has a line for each row of the matrix.
const CHAR = 6.65;  // width of a character in a tile, in pixels

// Rows as their opening brackets, numbers and closing brackets.
function matrixOf(text) {
  const rows = text.trim().replace(/\s+/g, ' ').split(/(?<=\]) (?=\[)/);
  return rows.map(row => {
    const [, open, inner, close] = /^(\[*)(.*?)(\]*)$/su.exec(row);
    return {open, close, numbers: inner.trim().split(' ')};
  });
}
// Columns with the points below each other.
function aligned(rows) {
  const columns = rows[0].numbers.length, pointOf = number => number.search(/\.|e[-+]|$/);
  if (rows.length < 2 || rows.some(row => row.numbers.length !== columns)) return rows;
  const before = [], behind = [];
  for (const {numbers} of rows)
    numbers.forEach((number, c) => {
      before[c] = Math.max(before[c] ?? 0, pointOf(number));
      behind[c] = Math.max(behind[c] ?? 0, number.length - pointOf(number));
    });
  const spaced = (number, c) => {
    const left = ' '.repeat(before[c] - pointOf(number)) + number;
    return left.padEnd(before[c] + behind[c]);
  };
  return rows.map(row => ({...row, numbers: row.numbers.map(spaced)}));
}
const linesOf = rows =>
    rows.map(({open, numbers, close}) => open.padStart(rows[0].open.length) + numbers.join(' ') + close);
const spelt = text => linesOf(aligned(matrixOf(text))).join('\n');

// Ends a line with an ellipsis, behind a whole number.
function shortened(line, chars) {
  const end = line.lastIndexOf(' ', chars - 2);
  return end > 0 && line.slice(0, end).trim() ? `${line.slice(0, end)} \u2026` : '\u2026';
}
// A vector goes on in the next line; a row of a matrix ends with an ellipsis.
function wrapped(line, chars) {
  const lines = [''];
  for (const word of line.split(' ')) {
    const longer = lines.at(-1) ? `${lines.at(-1)} ${word}` : word;
    if (longer.length <= chars || !lines.at(-1))
      lines[lines.length - 1] = longer;
    else
      lines.push(` ${word}`);
  }
  return lines;
}
// The lines that a tile shows of a text, and whether they are all of it.
function fitted(text, wide, room) {
  const chars = Math.floor((wide - 11) / CHAR), rows = matrixOf(text), fits = line => line.length <= chars;
  const spaced = linesOf(aligned(rows)), all = spaced.every(fits) ? spaced : linesOf(rows);
  const lines = all.length === 1 ? wrapped(all[0], chars) : all, isWhole = lines.length <= room;
  const last = `${lines[room - 1]} \u2026`, kept = isWhole ? lines : [...lines.slice(0, room - 1), last];
  return {
    lines: kept.map(line => fits(line) ? line : shortened(line, chars)),
    isWhole: isWhole && lines.every(fits)
  };
}
