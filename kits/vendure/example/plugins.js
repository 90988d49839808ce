// Without Baton: step 2 of docs/stacks/vendure.md writes another.
export const plugins = [];
