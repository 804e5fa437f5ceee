import { Box, Button, Code } from '@mantine/core';
import type { SiteDetails } from '@steward/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Banner } from '../../../components/banner.tsx';
import { RelativeTime, Timestamp } from '../../../components/time.tsx';
import { describeAlarm } from '../../../lib/describe-alarm.ts';
import { notifyError, notifySuccess } from '../../../lib/notify.ts';
import { useHasPermission } from '../../../lib/session.ts';
import { siteMessages } from '../../../messages/site.ts';
import { dismissAlarm, refreshSite } from '../site-api.ts';

const messages = siteMessages.alarm;

/** Shows the alarm of a site, whatever its status is, until a user dismisses the alarm. */
export function AlarmBanner({ site }: { site: SiteDetails }) {
  const mayAct = useHasPermission('sites.act');
  const client = useQueryClient();
  const dismiss = useMutation({
    mutationFn: () => dismissAlarm(site.id),
    onError: notifyError,
    onSuccess: async () => {
      await refreshSite(client, site.id);
      notifySuccess(messages.dismissed);
    },
  });
  const { alarm } = site;
  if (!alarm) return null;
  const { title, meaning } = describeAlarm(alarm);
  return (
    <Box mb="sm">
      <Banner
        tone="bad"
        title={title}
        steps={
          mayAct && (
            <Button
              size="xs"
              variant="default"
              loading={dismiss.isPending}
              onClick={() => dismiss.mutate()}
            >
              {messages.dismiss}
            </Button>
          )
        }
      >
        {alarm.route && alarm.called_at && (
          <>
            <Code>{alarm.route}</Code>
            {messages.at}
            <Timestamp at={alarm.called_at} />.{' '}
          </>
        )}
        {meaning} {messages.raised} <RelativeTime at={alarm.at} />.
      </Banner>
    </Box>
  );
}
