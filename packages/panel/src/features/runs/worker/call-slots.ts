/** How many calls may be under way, in all and to one address. */
export type CallLimits = { total: number; perAddress: number };

/** An urgent call is one that somebody waits for. */
export type Caller = { address: string; isUrgent: boolean };

export type CallSlots = {
  /** Takes a slot at once, or says that none is free. */
  tryTake(caller: Caller): boolean;
  /** Waits for one. */
  take(caller: Caller): Promise<void>;
  release(caller: Caller): void;
  free(isUrgent: boolean): number;
  /** Whether the address alone would let another call begin. */
  hasRoomAt(address: string): boolean;
};

/** Sites that hang may fill all other slots for a quarter of an hour. */
const MOST_RESERVED = 3;
const RESERVED_OF = 5;

/** Of the slots, so many are kept for urgent calls; none where there are only few. */
export function reservedOf(total: number): number {
  return Math.min(MOST_RESERVED, Math.floor(total / RESERVED_OF));
}

export function createCallSlots({ total, perAddress }: CallLimits): CallSlots {
  const reserved = reservedOf(total);
  const perAddressInUse = new Map<string, number>();
  let waiting: { caller: Caller; resolve(): void }[] = [];
  let inUse = 0;
  let ordinaryInUse = 0;

  const slots: CallSlots = {
    tryTake({ address, isUrgent }) {
      const here = perAddressInUse.get(address) ?? 0;
      if (slots.free(isUrgent) <= 0 || here >= perAddress) return false;
      inUse++;
      if (!isUrgent) ordinaryInUse++;
      perAddressInUse.set(address, here + 1);
      return true;
    },

    take(caller) {
      if (slots.tryTake(caller)) return Promise.resolve();
      return new Promise((resolve) => waiting.push({ caller, resolve }));
    },

    release({ address, isUrgent }) {
      inUse--;
      if (!isUrgent) ordinaryInUse--;
      const here = (perAddressInUse.get(address) ?? 1) - 1;
      if (here === 0) perAddressInUse.delete(address);
      else perAddressInUse.set(address, here);
      // It may be two: one had waited for the address, the other for any slot that is not reserved.
      waiting = waiting.filter(({ caller, resolve }) => {
        const isNext = slots.tryTake(caller);
        if (isNext) resolve();
        return !isNext;
      });
    },

    free: (isUrgent) =>
      isUrgent ? total - inUse : Math.min(total - inUse, total - reserved - ordinaryInUse),
    hasRoomAt: (address) => (perAddressInUse.get(address) ?? 0) < perAddress,
  };
  return slots;
}
