import { Drawer } from '@mantine/core';
import { Mark } from '../components/mark.tsx';
import { appMessages } from '../messages/app.ts';
import { commonMessages } from '../messages/common.ts';
import { Rail } from './rail.tsx';
import styles from './shell.module.css';

type Props = { isOpen: boolean; onClose: () => void };

/** The navigation on narrow screens. */
export default function NavigationDrawer({ isOpen, onClose }: Props) {
  return (
    <Drawer
      opened={isOpen}
      onClose={onClose}
      size={260}
      title={
        <span className={styles.name}>
          <Mark /> {commonMessages.productName}
        </span>
      }
      classNames={{ body: styles.drawer }}
      transitionProps={{ duration: 120 }}
      closeButtonProps={{ 'aria-label': appMessages.frame.closeMenu }}
    >
      <Rail isInDrawer />
    </Drawer>
  );
}
