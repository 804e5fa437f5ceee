import { Tooltip } from '@mantine/core';
import { cloneElement, type MouseEventHandler, type ReactElement, useId } from 'react';

type Props = {
  /** Why the user cannot press the button now, and what to do first. Null: the user can. */
  reason: string | null | undefined;
  children: ReactElement<{ onClick?: MouseEventHandler<HTMLElement> }>;
};

/** `disabled` would take the button out of the tab order, and a screen reader or a tooltip could not give the reason. */
const blockedProps = (reasonId: string) => ({
  'data-disabled': true,
  'aria-disabled': true,
  'aria-describedby': reasonId,
  // Also keeps a submit button from submitting its form.
  onClick: (event: { preventDefault(): void }) => event.preventDefault(),
});

/** A button that says why it is disabled: in a tooltip, on keyboard focus and to screen readers. */
export function Blockable({ reason, children }: Props) {
  const id = useId();
  return (
    <>
      <Tooltip label={reason} disabled={!reason} multiline maw={320}>
        {reason ? cloneElement(children, blockedProps(id)) : children}
      </Tooltip>
      {reason && (
        // Hidden text still describes the button, but is not read a second time.
        <span id={id} hidden>
          {reason}
        </span>
      )}
    </>
  );
}
