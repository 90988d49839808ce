// The kinds of options that commands take, for `parseArgs` of node:util.

export const text = /** @type {const} */ ({ type: "string", multiple: false });
/** May be given several times. */
export const texts = /** @type {const} */ ({ type: "string", multiple: true });
export const flag = /** @type {const} */ ({ type: "boolean", multiple: false });

/**
 * Returns the same option under each of these names.
 * @template {string} Name, Option
 * @param {readonly Name[]} names
 * @param {Option} option
 */
export const each = (names, option) => /** @type {Record<Name, Option>} */ (Object.fromEntries(names.map((name) => [name, option])));
