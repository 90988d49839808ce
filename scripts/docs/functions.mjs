// Measures the functions of a source file in Rust, JavaScript, PHP, Python and Ruby: how long each is, and whether the comment above it gives a
// reason. Pure. It reads just enough of each language to find where a function ends, and never judges one.

import ts from "typescript";

/** Gives the reason why a function is long: "Long because it has an arm for each fact." in the comment directly above it. */
const REASON = /\bLong because \S+ \S+/;

/** Returns the functions of a file: `{ name, line, lines, reason }`. Returns none for a language that is not read here. */
export function functionsOf(file, text) {
  const ending = file.split(".").at(-1);
  if (["js", "mjs"].includes(ending)) return ofJavaScript(file, text);
  if (ending === "rs") return ofBraces(text, /^\s*(?:pub(?:\([^)]*\))? |const |async |unsafe |extern "C" )*fn (\w+)/, blankRust(text));
  if (ending === "php") return ofBraces(text, /^\s*(?:(?:public|private|protected|static|final|abstract) )*function (\w+)/, blankPhp(text));
  if (ending === "py")
    return ofIndents(
      text,
      /^(\s*)(?:async )?def (\w+)/,
      (line, indent) => line.trim() !== "" && !line.trim().startsWith(")") && line.search(/\S/) <= indent,
      0,
    );
  if (ending === "rb") return ofIndents(text, /^(\s*)def ([\w.?!]+)/, (line, indent) => line.search(/\S/) === indent && /^\s*end\b/.test(line), 1);
  return [];
}

/**
 * Finds functions with TypeScript's parser. A function inside another is one of its own if it has a name, or a title as tests have: for the outer one
 * it then counts as one line, the comment above it included.
 */
function ofJavaScript(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS);
  const lineOf = (place) => source.getLineAndCharacterOfPosition(place).line;
  const found = [];
  const visit = (node) => {
    const inner = [];
    ts.forEachChild(node, (child) => void inner.push(...visit(child)));
    if (!ts.isFunctionLike(node) || !("body" in node && node.body) || isSuite(node)) return inner;
    const [from, to] = [lineOf(node.getStart(source)), lineOf(node.end)];
    const own = statementOf(node);
    const name = nameOf(node) ?? titleOf(node);
    const lines = to - from + 1 - inner.reduce((sum, [first, last]) => sum + Math.max(0, last - first - 1), 0);
    found.push({ name: name ?? "a function without a name", line: from + 1, lines, reason: REASON.test(commentAbove(text, source, own)) });
    return name === undefined ? inner : [[lineOf(own.getFullStart()), to]];
  };
  visit(source);
  return found;
}

/** Returns the name under which a function is declared or kept. */
function nameOf(node) {
  const holder = node.name ? node : node.parent;
  const isNamed = ts.isVariableDeclaration(holder) || ts.isPropertyAssignment(holder) || ts.isPropertyDeclaration(holder) || holder === node;
  return isNamed && holder.name ? holder.name.getText() : undefined;
}

/** Whether this is the body of a `describe`: a list of tests, each of which counts by itself. */
const isSuite = (node) => ts.isCallExpression(node.parent) && node.parent.expression.getText() === "describe";

/** Returns the title of a test: `test("a title", () => …)`. */
function titleOf(node) {
  const isTest = ts.isCallExpression(node.parent) && /^(\w+T|t)est\b/.test(node.parent.expression.getText());
  const title = isTest ? node.parent.arguments[0] : undefined;
  return title && (ts.isStringLiteralLike(title) || ts.isTemplateExpression(title)) ? title.getText() : undefined;
}

/** Returns the statement or member that begins with this function, above which a comment stands. */
function statementOf(node) {
  let own = node;
  while (
    own.parent &&
    !ts.isSourceFile(own.parent) &&
    !ts.isBlock(own.parent) &&
    !ts.isClassLike(own.parent) &&
    !ts.isObjectLiteralExpression(own.parent)
  )
    own = own.parent;
  return own;
}

const commentAbove = (text, source, node) =>
  (ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []).map(({ pos, end }) => text.slice(pos, end)).join("\n");

/** Finds functions in a language of braces. `blank` is the text without strings and comments, whose braces mean nothing. */
function ofBraces(text, opening, blank) {
  const [said, lines] = [text.split("\n"), blank.split("\n")];
  return lines.flatMap((line, from) => {
    const name = opening.exec(line)?.[1];
    const to = name === undefined ? undefined : endOfBraces(lines, from);
    return to === undefined ? [] : [{ name, line: from + 1, lines: to - from + 1, reason: reasonAbove(said, from) }];
  });
}

/** Returns the line on which the first brace after `from` closes, or undefined for a function without a body. */
function endOfBraces(lines, from) {
  let [braces, brackets] = [0, 0];
  for (let at = from; at < lines.length; at += 1) {
    for (const sign of lines[at]) {
      if ("([".includes(sign)) brackets += 1;
      if (")]".includes(sign)) brackets -= 1;
      if (sign === ";" && braces === 0 && brackets === 0) return undefined;
      if (sign === "{") braces += 1;
      if (sign === "}" && (braces -= 1) === 0) return at;
    }
  }
  return undefined;
}

/** Finds functions in a language in which the indent shows where a function ends. `counted`: how many lines of the end belong to the function. */
function ofIndents(text, opening, ends, counted) {
  const lines = text.split("\n");
  return lines.flatMap((line, from) => {
    const [, indent, name] = opening.exec(line) ?? [];
    if (name === undefined) return [];
    const next = lines.findIndex((each, at) => at > from && ends(each, indent.length));
    let to = (next === -1 ? lines.length : next) - 1 + (next === -1 ? 0 : counted);
    while (lines[to].trim() === "") to -= 1;
    return [{ name, line: from + 1, lines: to - from + 1, reason: reasonAbove(lines, from) }];
  });
}

/** Returns whether the comment above a line, with attributes between them, gives a reason. */
function reasonAbove(lines, from) {
  const isAbove = (line) => /^\s*(\/\/|\/?\*|#|@)/.test(line);
  let first = from;
  while (first > 0 && isAbove(lines[first - 1])) first -= 1;
  return lines.slice(first, from).some((line) => REASON.test(line));
}

/** Returns the same lines without strings, characters and comments. */
const blanked = (text, what) => text.replace(what, (found) => found.replace(/[^\n]+/g, ""));
export const blankRust = (text) =>
  blanked(text, /\/\/[^\n]*|\/\*[^]*?\*\/|\bb?r(#+)"[^]*?"\1|\bb?r"[^"]*"|b?"(?:\\[^]|[^"\\])*"|b?'(?:\\(?:u\{\w+\}|x\w\w|.)|[^'\\\n])'/g);
const blankPhp = (text) => blanked(text, /\/\/[^\n]*|#(?!\[)[^\n]*|\/\*[^]*?\*\/|"(?:\\[^]|[^"\\])*"|'(?:\\[^]|[^'\\])*'/g);
