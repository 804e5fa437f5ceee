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
  /** Whether calls end so quickly that whoever is next in line has a slot in a moment. */
  isBrisk(): boolean;
};

/** Sites that hang may fill all other slots for a quarter of an hour. */
const MOST_RESERVED = 3;
const RESERVED_OF = 5;
/** While half as many calls as there are slots end within this time, whoever waits has one soon. */
const BRISK_MS = 1000;

/**
 * Of the slots, so many are kept for urgent calls; none where there are only few. They are lent to the
 * others for as long as calls end briskly: a run over sites that answer is not made slower for the
 * sake of sites that hang.
 */
export function reservedOf(total: number): number {
  return Math.min(MOST_RESERVED, Math.floor(total / RESERVED_OF));
}

export function createCallSlots(
  { total, perAddress }: CallLimits,
  now: () => number = () => performance.now(),
): CallSlots {
  const half = Math.ceil(total / 2);
  const releasedAt: number[] = [];
  const isBrisk = () => releasedAt.length >= half && now() - (releasedAt[0] ?? 0) < BRISK_MS;
  const reserved = () => (isBrisk() ? 0 : reservedOf(total));
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
      releasedAt.push(now());
      if (releasedAt.length > half) releasedAt.shift();
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
      isUrgent ? total - inUse : Math.min(total - inUse, total - reserved() - ordinaryInUse),
    hasRoomAt: (address) => (perAddressInUse.get(address) ?? 0) < perAddress,
    isBrisk,
  };
  return slots;
}
