import type { DeliveryType } from '@steward/contract';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { findChannel, listChannelsFor } from './channels.repository.ts';
import {
  type EventRow,
  findVisibleEvents,
  insertDeliveries,
  type NewDelivery,
} from './deliveries.repository.ts';
import { findEmailUser, listEmailUsers } from './email-settings.repository.ts';
import {
  claimEvents,
  countDeliveries,
  insertGathered,
  listDueRecipients,
  markQueued,
  type Recipient,
  takeGathered,
} from './fan-out.repository.ts';

export type QueueDeliveries = (
  trx: Trx,
  deliveries: Awaited<ReturnType<typeof insertDeliveries>>,
) => Promise<void>;

type Dependencies = { db: Database; clock: Clock; queueDeliveries: QueueDeliveries };

const EVENTS_PER_TRANSACTION = 500;
/** After this many messages in an hour, a user or a Slack channel gets further events in a digest. */
const MESSAGES_PER_HOUR = 20;
const HOUR_MS = 60 * 60 * 1000;
const FLOOD_DELAY_MS = 15 * 60 * 1000;
/** Limits the size of a digest: further events are dropped. The text lists the first events and counts the others. */
const EVENTS_PER_DIGEST = 10_000;
export const DIGEST_HOUR_UTC = 7;

/** Turns committed events into deliveries. */
export function createFanOut({ db, clock, queueDeliveries }: Dependencies) {
  return {
    /** Handles one batch of events. Returns whether there may be more. */
    createDeliveries: (): Promise<boolean> =>
      db.transaction().execute(async (trx) => {
        const events = await claimEvents(trx, EVENTS_PER_TRANSACTION);
        if (events.length === 0) return false;
        const channels = await planForChannels(trx, events);
        const users = await planForUsers(trx, events);
        const deliveries = [...channels.deliveries, ...users.deliveries];
        await queueDeliveries(trx, await insertDeliveries(trx, deliveries, clock.now()));
        await insertGathered(trx, [...channels.gathered, ...users.gathered]);
        await markQueued(
          trx,
          events.map(({ id }) => id),
          clock.now(),
        );
        return events.length === EVENTS_PER_TRANSACTION;
      }),

    /** Creates one delivery for each recipient whose gathered events are due. */
    async createDigests(): Promise<void> {
      for (const recipient of await listDueRecipients(db, clock.now())) {
        await db.transaction().execute((trx) => createDigest(trx, recipient));
      }
    },
  };

  async function planForChannels(trx: Trx, events: EventRow[]): Promise<Plan> {
    const plan: Plan = { deliveries: [], gathered: [] };
    const channels = await listChannelsFor(trx, [...new Set(events.map(({ type }) => type))]);
    for (const { id, kind, name, event_types } of channels) {
      const wanted = events.filter(({ type }) => event_types.includes(type));
      const recipient: Recipient = { channelId: id, userId: null };
      const target = { kind, channel_id: id, user_id: null, recipient: name };
      // A program receives a webhook, so it gets each event at once.
      if (kind === 'webhook')
        plan.deliveries.push(...wanted.map((each) => toDelivery(target, each)));
      else await planForPerson(trx, plan, { recipient, target, events: wanted });
    }
    return plan;
  }

  async function planForUsers(trx: Trx, events: EventRow[]): Promise<Plan> {
    const plan: Plan = { deliveries: [], gathered: [] };
    for (const { id, email, role, mode, event_types } of await listEmailUsers(trx)) {
      const ids = events.filter(({ type }) => event_types.includes(type)).map((event) => event.id);
      const wanted = ids.length > 0 ? await findVisibleEvents(trx, { id, role }, ids) : [];
      const recipient: Recipient = { channelId: null, userId: id };
      const target = { kind: 'email' as const, channel_id: null, user_id: id, recipient: email };
      if (mode === 'daily')
        plan.gathered.push(...gather(recipient, wanted, nextDigest(clock.now())));
      else await planForPerson(trx, plan, { recipient, target, events: wanted });
    }
    return plan;
  }

  /** Limits the messages by e-mail and Slack: a data centre that is down causes an event for each of its sites. */
  async function planForPerson(trx: Trx, plan: Plan, { recipient, target, events }: ForPerson) {
    if (events.length === 0) return;
    const now = clock.now();
    const sent = await countDeliveries(trx, recipient, new Date(now.getTime() - HOUR_MS));
    const allowed = Math.max(0, MESSAGES_PER_HOUR - sent);
    plan.deliveries.push(...events.slice(0, allowed).map((event) => toDelivery(target, event)));
    const dueAt = new Date(now.getTime() + FLOOD_DELAY_MS);
    plan.gathered.push(...gather(recipient, events.slice(allowed), dueAt));
  }

  async function createDigest(trx: Trx, recipient: Recipient): Promise<void> {
    const eventIds = await takeGathered(trx, recipient);
    const target = await findTarget(trx, recipient);
    if (eventIds.length === 0 || !target) return;
    const event_ids = eventIds.slice(0, EVENTS_PER_DIGEST);
    const delivery: NewDelivery = { ...target, type: 'digest', event_ids };
    await queueDeliveries(trx, await insertDeliveries(trx, [delivery], clock.now()));
  }

  async function findTarget(
    trx: Trx,
    { channelId, userId }: Recipient,
  ): Promise<Target | undefined> {
    if (channelId !== null) {
      const channel = await findChannel(trx, channelId);
      return (
        channel && {
          kind: channel.kind,
          channel_id: channelId,
          user_id: null,
          recipient: channel.name,
        }
      );
    }
    const user = await findEmailUser(trx, userId);
    return user && { kind: 'email', channel_id: null, user_id: userId, recipient: user.email };
  }
}

type Target = Pick<NewDelivery, 'kind' | 'channel_id' | 'user_id' | 'recipient'>;
type Gathered = Parameters<typeof insertGathered>[1];
type Plan = { deliveries: NewDelivery[]; gathered: Gathered };
type ForPerson = { recipient: Recipient; target: Target; events: EventRow[] };

const toDelivery = (target: Target, { id, type }: { id: number; type: DeliveryType }) => ({
  ...target,
  type,
  event_ids: [id],
});

const gather = ({ channelId, userId }: Recipient, events: EventRow[], due_at: Date): Gathered =>
  events.map(({ id }) => ({ event_id: id, channel_id: channelId, user_id: userId, due_at }));

/** The next 07:00 UTC. */
export function nextDigest(now: Date): Date {
  const next = new Date(now);
  next.setUTCHours(DIGEST_HOUR_UTC, 0, 0, 0);
  if (next <= now) next.setUTCDate(next.getUTCDate() + 1);
  return next;
}
