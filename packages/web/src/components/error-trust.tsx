import { itemErrorMessages as messages } from '../messages/item-errors.ts';
import { StatusLabel } from './status-label.tsx';

/** Whether an error on a real request is confirmed. Only a confirmed error halts or restores anything. */
export function ErrorTrust({ isConfirmed }: { isConfirmed: boolean }) {
  return (
    <span title={isConfirmed ? messages.confirmedHint : messages.unconfirmedHint}>
      <StatusLabel kind={isConfirmed ? 'bad' : 'empty'}>
        {isConfirmed ? messages.confirmed : messages.unconfirmed}
      </StatusLabel>
    </span>
  );
}
