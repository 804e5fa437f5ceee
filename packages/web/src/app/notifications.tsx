// Not in `mantine-styles.css`, because most visits show no notification.
import '@mantine/core/styles/Notification.css';
import '@mantine/notifications/styles.css';
import { Notifications } from '@mantine/notifications';

/** At the top, so that a notification does not cover the selection bar at the bottom. */
export default function NotificationsAtTop() {
  return <Notifications position="top-center" autoClose={5000} />;
}
