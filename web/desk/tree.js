/* A piece of page as a value, and what makes the page match it. Nothing that already matches is touched, so nothing flickers, and what has
 * the focus keeps it. Functions that draw return such values and are tested without a browser. */

const SVG = "http://www.w3.org/2000/svg";

/** Returns an element. An attribute that is `false` or `null` is not there; `key` keeps the element the same wherever it moves. */
export function h(tag, attrs, ...children) {
  return { tag, attrs: attrs ?? {}, children: children.flat(2).filter((child) => child !== null && child !== undefined && child !== false) };
}

/** Makes `children`, values of `h` or texts, the children of `parent`. */
export function patch(parent, children) {
  const list = [children].flat(2).filter((child) => child !== null && child !== undefined && child !== false);
  const keyed = new Map([...parent.children].filter((one) => one.dataset?.key).map((one) => [one.dataset.key, one]));
  list.forEach((wanted, at) => {
    const here = parent.childNodes[at];
    const known = keyed.get(wanted.attrs?.key) ?? (here?.dataset?.key ? undefined : here);
    const node = fits(known, wanted) ? known : made(wanted, parent);
    if (node !== here) parent.insertBefore(node, here ?? null);
    if (typeof wanted === "object") dress(node, wanted);
    else if (node.data !== String(wanted)) node.data = String(wanted);
  });
  while (parent.childNodes.length > list.length) parent.lastChild.remove();
}

function fits(node, wanted) {
  if (!node) return false;
  return typeof wanted === "object" ? node.localName === wanted.tag : node.nodeType === Node.TEXT_NODE;
}

function made(wanted, parent) {
  if (typeof wanted !== "object") return document.createTextNode("");
  const isSvg = wanted.tag === "svg" || (parent.namespaceURI === SVG && parent.localName !== "foreignObject");
  return isSvg ? document.createElementNS(SVG, wanted.tag) : document.createElement(wanted.tag);
}

function dress(element, { attrs, children }) {
  const { key, ...rest } = attrs;
  const wanted = { ...rest, ...(key !== undefined && { "data-key": key }) };
  for (const { name } of [...element.attributes]) if (isOff(wanted[name])) element.removeAttribute(name);
  for (const [name, value] of Object.entries(wanted)) {
    if (isOff(value)) continue;
    const text = value === true ? "" : String(value);
    if (element.getAttribute(name) !== text) element.setAttribute(name, text);
  }
  patch(element, children);
}

const isOff = (value) => value === undefined || value === null || value === false;

/** Returns the text of a value, for tests and for labels. */
export const textOf = (tree) => (typeof tree === "object" ? tree.children.map(textOf).join(" ") : String(tree));
