import {
  type DeliveryType,
  describeDigest,
  describeNotification,
  describePasswordReset,
  type NotificationText,
  PASSWORD_CHANGED,
  TEST_NOTIFICATION,
} from '@steward/contract';
import { escapeHtml } from '../../platform/escape-html.ts';
import type { EventRow } from './deliveries.repository.ts';

/** A message to one recipient, before it gets the format of the channel. */
export type Message = {
  type: DeliveryType;
  /** The time of the first event. */
  time: Date;
  data: object;
  text: NotificationText;
  /** The page of the panel that shows the details. */
  url: string;
  /** Only of an e-mail about the account, which does not depend on settings. */
  forAccount?: { linkLabel: string };
};

const EVENTS_LISTED = 50;

/** `events`: all events that the recipient may see; empty for a test. */
export function composeMessage(
  type: DeliveryType,
  events: Pick<EventRow, 'type' | 'data' | 'created_at'>[],
  { now, panelUrl }: { now: Date; panelUrl: string },
): Message {
  const [first] = events;
  const text = composeText(type, events);
  return {
    type: type === 'digest' && events.length === 1 && first ? first.type : type,
    time: first?.created_at ?? now,
    data: type === 'digest' ? {} : (first?.data ?? {}),
    text,
    url: `${panelUrl}${text.path}`,
  };
}

function composeText(type: DeliveryType, events: Pick<EventRow, 'type' | 'data'>[]) {
  const [first] = events;
  if (type === 'test' || !first) return TEST_NOTIFICATION;
  if (events.length === 1) return describeNotification(first);
  const subjects = events
    .slice(0, EVENTS_LISTED)
    .map((event) => describeNotification(event).subject);
  return describeDigest(events.length, subjects);
}

/** The link works once, so it must not be stored or logged. */
export function composeResetMail(
  { url, expiresAt }: { url: string; expiresAt: Date },
  now: Date,
): Message {
  const text = describePasswordReset(expiresAt.toISOString());
  const forAccount = { linkLabel: text.subject };
  return { type: 'password_reset', time: now, data: {}, text, url, forAccount };
}

export function composeAccountMail(now: Date, panelUrl: string): Message {
  const text = PASSWORD_CHANGED;
  const url = `${panelUrl}${text.path}`;
  const forAccount = { linkLabel: OPEN };
  return { type: 'password_changed', time: now, data: {}, text, url, forAccount };
}

const OPEN = 'Open in Steward';

export function toSlackBody({ text, url }: Message): string {
  const lines = [`*${escapeForSlack(text.subject)}*`, ...text.sentences.map(escapeForSlack)];
  return JSON.stringify({ text: `${lines.join('\n')}\n<${url}|${OPEN}>` });
}

/** Without escaping, a site named <!channel> would notify all members, and a name could hide a link. */
function escapeForSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

export function toWebhookBody({ type, time, data, text, url }: Message): string {
  const sentences = text.sentences.join(' ');
  return JSON.stringify({ type, timestamp: time.toISOString(), data, text: sentences, url });
}

export function toEmail({ text, url, forAccount }: Message) {
  const { subject, sentences } = text;
  const footer = forAccount
    ? 'You get this e-mail because it concerns your account in Steward.'
    : 'You get this e-mail because of your notification settings in Steward.';
  const label = forAccount?.linkLabel ?? OPEN;
  const paragraphs = sentences.map((sentence) => `<p>${escapeHtml(sentence)}</p>`).join('\n');
  return {
    subject: `[Steward] ${subject}`,
    text: `${sentences.join('\n\n')}\n\n${url}\n\n-- \n${footer}\n`,
    html: `${paragraphs}\n<p><a href="${escapeHtml(url)}">${label}</a></p>\n<p><small>${footer}</small></p>\n`,
  };
}
