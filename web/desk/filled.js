/* Fills in the `{name}` places of a text. */

export const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_, key) => values[key]);
