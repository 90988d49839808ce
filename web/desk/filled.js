/* Text with `{name}` filled in. */

export const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_, key) => values[key]);
