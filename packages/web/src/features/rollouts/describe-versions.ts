import type { RolloutItem } from '@steward/contract';
import { rolloutMessages } from '../../messages/rollouts.ts';

/** "Shop 5.3, Forms 2.0". */
export const describeVersions = (items: RolloutItem[]): string =>
  items
    .map(({ name, slug, version }) => `${name ?? slug} ${version}`)
    .join(rolloutMessages.halted.separator);
