/**
 * Several Vitest projects use the same global setup in one process, but each loads its own copy of the module.
 * The first project that needs a part starts it; the last one stops it.
 */
type Part = { users: number; started: Promise<{ stop(): Promise<void> }> };

const REGISTRY = Symbol.for('steward.testkit.parts');
const registry = globalThis as { [REGISTRY]?: Map<string, Part> };
registry[REGISTRY] ??= new Map();
const parts = registry[REGISTRY];

export async function sharePart<T extends { stop(): Promise<void> }>(
  name: string,
  start: () => Promise<T>,
) {
  const part = parts.get(name) ?? { users: 0, started: start() };
  parts.set(name, part);
  part.users++;
  const started = (await part.started.catch((error) => {
    parts.delete(name);
    throw error;
  })) as T;
  return {
    ...started,
    async stop() {
      if (--part.users > 0) return;
      parts.delete(name);
      await started.stop();
    },
  };
}
