import { type ElementProps, Menu, type MenuItemProps } from '@mantine/core';

type Props = MenuItemProps & ElementProps<'button', keyof MenuItemProps>;

/** The last item of a menu, red and below a line. See `DangerButton`. */
export function DangerMenuItem(props: Props) {
  return (
    <>
      <Menu.Divider />
      <Menu.Item c="var(--steward-bad)" {...props} />
    </>
  );
}
