export { NotificationWarnings } from './components/notification-warnings.tsx';
