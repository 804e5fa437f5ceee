import type { SupportedSoftware, VersionSupport } from '@steward/contract';
import { formatDay } from '../lib/format.ts';

const endTexts: Record<
  SupportedSoftware,
  Record<VersionSupport['state'], (day: string) => string>
> = {
  php: {
    ended: (day) => `no security fixes since ${day}`,
    ending: (day) => `security fixes end ${day}`,
    supported: (day) => `security fixes until ${day}`,
  },
  wordpress: {
    ended: (day) => `not supported since ${day}, when the next version was released`,
    ending: (day) => `support ends ${day}`,
    supported: (day) => `supported until ${day}`,
  },
};

/** When the support of PHP and WordPress versions ends. */
export const versionSupportMessages = {
  end: (software: SupportedSoftware, { state, endsOn }: VersionSupport) =>
    endTexts[software][state](formatDay(endsOn)),
  /** Follows a version. */
  afterVersion: (end: string) => `, ${end}`,
  asOf: ({ asOf }: VersionSupport) => `Dates as of ${formatDay(asOf)}`,
} as const;
