import {
  CHANNEL_KINDS,
  type ChannelKind,
  NOTIFICATION_EVENT_TYPES,
  NOTIFICATION_NAME_MAX_LENGTH,
  type NotificationChannel,
  type NotificationDelivery,
  type NotificationEventType,
} from '@steward/contract';
import { Command, InvalidArgumentError, Option } from 'commander';
import { createDeliverer } from '../features/notifications/index.ts';
import { systemClock } from '../platform/clock.ts';
import { createLogger } from '../platform/logger.ts';
import type { Services } from '../services.ts';
import { numberUpTo, parseChannelId, parseList } from './arguments.ts';
import { COMMAND_LINE, type CommandContext } from './command-context.ts';

type Json = { json?: true };
type AddOptions = Json & { kind: ChannelKind; name: string; events?: NotificationEventType[] };

const DELIVERIES_SHOWN = 20;
const DELIVERIES_MAX = 100;

export function createNotificationCommand(context: CommandContext): Command {
  const notification = new Command('notification').description('manage notification channels');
  notification
    .command('list')
    .description('list the notification channels')
    .option('--json', 'print one JSON document')
    .action(async ({ json }: Json) => {
      const channels = await context.withPanel(({ services }) =>
        services.notificationChannels.list(),
      );
      if (json) return context.printJson(channels);
      printChannels(context, channels);
    });

  notification
    .command('add')
    .description(
      'add a channel; reads its URL from standard input and prints the signing secret of a webhook',
    )
    .addOption(
      new Option('--kind <kind>', 'slack or webhook').choices(CHANNEL_KINDS).makeOptionMandatory(),
    )
    .requiredOption('--name <name>', 'name of the channel', parseName)
    .option('--events <types>', 'event types, separated by commas (default: all)', parseEventTypes)
    .option('--json', 'print one JSON document')
    .action(async ({ kind, name, events, json }: AddOptions) => {
      // The URL of a Slack channel is its only credential.
      const url = await context.readSecret();
      const request = { kind, name, url, ...(events && { event_types: events }) };
      const created = await context.withPanel(({ services }) =>
        services.notificationChannels.create(request, COMMAND_LINE),
      );
      if (json) return context.printJson(created);
      const { channel, signing_secret } = created;
      context.printLine(`Created channel ${channel.id} (${channel.name}).`);
      if (signing_secret) context.printLine(`Signing secret: ${signing_secret}`);
    });

  notification
    .command('test')
    .description('send a test message to a channel and print the result')
    .argument('<id>', 'channel id', parseChannelId)
    .option('--json', 'print one JSON document')
    .action(async (id: number, { json }: Json) => {
      await sendTest(context, json, async () => ({ channelId: id }));
    });

  notification
    .command('test-email')
    .description('send a test e-mail to a user and print the result')
    .argument('<email>', 'e-mail address of the user')
    .option('--json', 'print one JSON document')
    .action(async (email: string, { json }: Json) => {
      await sendTest(context, json, async ({ users }) => ({
        userId: (await users.findByEmail(email)).id,
      }));
    });

  notification
    .command('delete')
    .description('delete a channel and cancel its waiting deliveries')
    .argument('<id>', 'channel id', parseChannelId)
    .option('--json', 'print one JSON document')
    .action(async (id: number, { json }: Json) => {
      await context.withPanel(({ services }) =>
        services.notificationChannels.remove(id, COMMAND_LINE),
      );
      if (json) return context.printJson({ id });
      context.printLine(`Deleted channel ${id}.`);
    });

  notification
    .command('log')
    .description('list the newest deliveries')
    .option('--limit <n>', 'number of deliveries', numberUpTo(DELIVERIES_MAX), DELIVERIES_SHOWN)
    .option('--json', 'print one JSON document')
    .action(async ({ limit, json }: Json & { limit: number }) => {
      const { deliveries } = await context.withPanel(({ services }) =>
        services.deliveryLog.list({ limit: String(limit) }),
      );
      if (json) return context.printJson(deliveries);
      printDeliveries(context, deliveries);
    });

  return notification;
}

async function sendTest(
  context: CommandContext,
  json: true | undefined,
  findTarget: (services: Services) => Promise<{ channelId: number } | { userId: number }>,
): Promise<void> {
  const delivery = await context.withPanel(async (panel, config) => {
    const { services, secrets, connection } = panel;
    const log = createLogger('silent');
    const deps = { ...services, db: connection.db, secrets, clock: systemClock, log };
    const target = await findTarget(services);
    const deliveryId = await createDeliverer(deps, config).sendTest(target);
    return services.deliveryLog.find(deliveryId);
  });
  if (delivery.status !== 'delivered') context.endWithFailure();
  if (json) return context.printJson(delivery);
  context.printLine(
    delivery.status === 'delivered' ? 'Delivered.' : `Not delivered: ${delivery.error}`,
  );
}

function printChannels(context: CommandContext, channels: NotificationChannel[]): void {
  if (channels.length === 0) {
    context.printLine('No notification channels.');
    return;
  }
  context.printTable(
    ['ID', 'KIND', 'NAME', 'HOST', 'STATUS', 'EVENTS'],
    channels.map(({ id, kind, name, host, enabled, disabled_reason, event_types }) => [
      String(id),
      kind,
      name,
      host,
      statusOf(enabled, disabled_reason),
      event_types.length === NOTIFICATION_EVENT_TYPES.length ? 'all' : event_types.join(','),
    ]),
  );
}

function statusOf(isEnabled: boolean, disabledReason: 'gone' | null): string {
  if (isEnabled) return 'on';
  return disabledReason === 'gone' ? 'off (receiver gone)' : 'off';
}

function printDeliveries(context: CommandContext, deliveries: NotificationDelivery[]): void {
  if (deliveries.length === 0) {
    context.printLine('No deliveries.');
    return;
  }
  context.printTable(
    ['ID', 'CREATED AT', 'STATUS', 'ATTEMPTS', 'RECIPIENT', 'SUBJECT', 'ERROR'],
    deliveries.map((each) => [
      String(each.id),
      each.created_at,
      each.status,
      String(each.attempts),
      each.recipient,
      each.subject,
      each.error ?? '',
    ]),
  );
}

function parseName(text: string): string {
  if (text.trim() !== '' && text.length <= NOTIFICATION_NAME_MAX_LENGTH) return text;
  throw new InvalidArgumentError(`It must have 1 to ${NOTIFICATION_NAME_MAX_LENGTH} characters.`);
}

function parseEventTypes(text: string): NotificationEventType[] {
  const types = parseList(text);
  const known = NOTIFICATION_EVENT_TYPES.filter((type) => types.includes(type));
  if (types.length > 0 && known.length === types.length) return known;
  throw new InvalidArgumentError(`Event types: ${NOTIFICATION_EVENT_TYPES.join(', ')}.`);
}
