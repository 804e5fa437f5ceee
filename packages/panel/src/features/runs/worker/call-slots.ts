/** How many calls may be under way, in all and to one address. */
export type CallLimits = { total: number; perAddress: number };

export type CallSlots = {
  /** Takes a slot at once, or says that none is free. */
  tryTake(address: string): boolean;
  /** Waits for one. */
  take(address: string): Promise<void>;
  release(address: string): void;
  free(): number;
  /** Whether the address alone would let another call begin. */
  hasRoomAt(address: string): boolean;
};

export function createCallSlots({ total, perAddress }: CallLimits): CallSlots {
  const perAddressInUse = new Map<string, number>();
  const waiting: { address: string; resolve(): void }[] = [];
  let inUse = 0;

  const slots: CallSlots = {
    tryTake(address) {
      const here = perAddressInUse.get(address) ?? 0;
      if (inUse >= total || here >= perAddress) return false;
      inUse++;
      perAddressInUse.set(address, here + 1);
      return true;
    },

    take(address) {
      if (slots.tryTake(address)) return Promise.resolve();
      return new Promise((resolve) => waiting.push({ address, resolve }));
    },

    release(address) {
      inUse--;
      const here = (perAddressInUse.get(address) ?? 1) - 1;
      if (here === 0) perAddressInUse.delete(address);
      else perAddressInUse.set(address, here);
      const next = waiting.findIndex((each) => slots.tryTake(each.address));
      if (next >= 0) waiting.splice(next, 1)[0]?.resolve();
    },

    free: () => total - inUse,
    hasRoomAt: (address) => (perAddressInUse.get(address) ?? 0) < perAddress,
  };
  return slots;
}
