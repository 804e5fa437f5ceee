// TEMPORARY stub until the branch rules is merged.
export function createQuarantineService(_deps: unknown) {
  return {
    quarantine: async (_trx: unknown, _version: unknown, _origin: unknown): Promise<void> => {},
    findHeldVersions: async (_db: unknown, _items: unknown) => [],
  };
}
