// A ticket counter in one Node process, as a shop with one server writes it in an afternoon: a list in memory and a timer for each permit.

export default {
  name: "counter",
  what: "A counter in one Node process",
  told: "socket",
  limit: true,
  second: "cannot have one: the line is one process's memory",
  async open({ permits, limitMs }) {
    const waiting = new Map();
    const inside = new Map();
    const call = () => {
      for (const [id, called] of waiting) {
        if (inside.size >= permits) return;
        waiting.delete(id);
        inside.set(
          id,
          setTimeout(() => leave(id), limitMs),
        );
        called();
      }
    };
    const leave = async (id) => {
      clearTimeout(inside.get(id));
      inside.delete(id);
      waiting.delete(id);
      call();
    };
    return {
      leave,
      async join(id, called) {
        waiting.set(id, called);
        setImmediate(call);
      },
      gone: (id) => waiting.delete(id),
    };
  },
};
