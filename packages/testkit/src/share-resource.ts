type SharedResource = { users: number; started: Promise<{ stop(): Promise<void> }> };

// Each Vitest project loads its own copy of this module, so the registry must be global.
const REGISTRY = Symbol.for('steward.testkit.resources');
const registry = globalThis as { [REGISTRY]?: Map<string, SharedResource> };
registry[REGISTRY] ??= new Map();
const resources = registry[REGISTRY];

/** Shares a resource between the Vitest projects of one process: the first project starts it, the last stops it. */
export async function shareResource<T extends { stop(): Promise<void> }>(
  name: string,
  start: () => Promise<T>,
) {
  const resource = resources.get(name) ?? { users: 0, started: start() };
  resources.set(name, resource);
  resource.users++;
  const started = (await resource.started.catch((error) => {
    resources.delete(name);
    throw error;
  })) as T;
  return {
    ...started,
    async stop() {
      if (--resource.users > 0) return;
      resources.delete(name);
      await started.stop();
    },
  };
}
