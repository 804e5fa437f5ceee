import { Stack, Title } from '@mantine/core';
import { PageHeader } from '../../components/page-header.tsx';
import { PageSection } from '../../components/page-section.tsx';
import { useHasPermission } from '../../lib/session.ts';
import { notificationsMessages } from '../../messages/notifications.ts';
import { ChannelSection } from './components/channel-section.tsx';
import { DeliveryLog } from './components/delivery-log.tsx';
import { EmailSettingsForm } from './components/email-settings-form.tsx';
import { MailServer } from './components/mail-server.tsx';
import { NotificationWarnings } from './components/notification-warnings.tsx';

/** Each user chooses which e-mails to get. Owners also manage the channels and see the delivery log. */
export function NotificationsPage() {
  const isOwner = useHasPermission('owner');
  return (
    <>
      <PageHeader
        title={notificationsMessages.title}
        note={notificationsMessages.note}
        width="reading"
      />
      {isOwner && <NotificationWarnings isOnNotificationsPage />}
      <Stack gap={32}>
        <PageSection id="e-mails">
          <Title order={2} mb="xs">
            {notificationsMessages.email.title}
          </Title>
          <EmailSettingsForm />
        </PageSection>
        {isOwner && <MailServer />}
        {isOwner && <ChannelSection />}
        {isOwner && <DeliveryLog />}
      </Stack>
    </>
  );
}
