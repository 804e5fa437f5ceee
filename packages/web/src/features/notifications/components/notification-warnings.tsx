import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Banner } from '../../../components/banner.tsx';
import { TextLink } from '../../../components/text-link.tsx';
import { notificationsMessages } from '../../../messages/notifications.ts';
import { channelsQuery } from '../api.ts';

const messages = notificationsMessages.warnings;

/** Warns owners about notifications that cannot be delivered. Without a problem, it shows nothing. */
export function NotificationWarnings({
  isOnNotificationsPage = false,
}: {
  isOnNotificationsPage?: boolean;
}) {
  const { data } = useQuery(channelsQuery);
  if (!data) return null;
  const { channels, smtp_configured, email_users } = data;
  const gone = channels.filter(({ disabled_reason }) => disabled_reason === 'gone');
  const isMailMissing = !smtp_configured && email_users > 0;
  if (gone.length === 0 && !isMailMissing) return null;
  const link = isOnNotificationsPage
    ? {}
    : { steps: <TextLink to="/notifications">{messages.open}</TextLink> };
  return (
    <Stack gap="xs" mb="md">
      {gone.map(({ id, name, host }) => (
        <Banner key={id} tone="warn" title={messages.goneTitle(name)} {...link}>
          {messages.gone(host)}
        </Banner>
      ))}
      {isMailMissing && (
        <Banner tone="warn" title={messages.smtpTitle} {...link}>
          {messages.smtp(email_users)}
        </Banner>
      )}
    </Stack>
  );
}
