import type { WatchState } from '@steward/contract';
import { watchMessages } from '../messages/watch.ts';
import { type StatusKind, StatusLabel } from './status-label.tsx';

export const WATCH_KINDS: Record<WatchState, StatusKind> = {
  watching: 'waiting',
  healthy: 'good',
  reported: 'warn',
  troubled: 'bad',
  unknown: 'empty',
};

/** What real requests say since an update. */
export const WatchLabel = ({ state }: { state: WatchState }) => (
  <StatusLabel kind={WATCH_KINDS[state]}>{watchMessages.states[state]}</StatusLabel>
);
