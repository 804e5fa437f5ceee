export const CHANNEL_KINDS = ['slack', 'webhook'] as const;
export type ChannelKind = (typeof CHANNEL_KINDS)[number];

export const EMAIL_MODES = ['off', 'immediate', 'daily'] as const;
export type EmailMode = (typeof EMAIL_MODES)[number];

export const DELIVERY_STATUSES = ['waiting', 'delivered', 'failed', 'cancelled'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];
