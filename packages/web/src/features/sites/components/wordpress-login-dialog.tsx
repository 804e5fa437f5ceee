import { Anchor, Button, Radio, Stack, Text } from '@mantine/core';
import type { LoginUser, SiteDetails } from '@steward/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Dialog } from '../../../components/dialog.tsx';
import { DialogFooter } from '../../../components/dialog-footer.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { SkeletonRows } from '../../../components/skeleton-rows.tsx';
import { siteHref } from '../../../lib/site-name.ts';
import { commonMessages } from '../../../messages/common.ts';
import { wordPressLoginMessages as messages } from '../../../messages/wordpress-login.ts';
import { loginFields, loginPath, loginUsersQuery } from '../site-api.ts';

type Props = { site: SiteDetails; onClose: () => void };

/** Asks the site for the users that its administrator has chosen, and opens its dashboard as one of them. */
export function WordPressLoginDialog({ site, onClose }: Props) {
  return (
    <Dialog title={messages.title} onClose={onClose} size="md">
      {site.remote.can_log_in ? (
        <AllowedUsers site={site} onClose={onClose} />
      ) : (
        <Instructions site={site} text={`${messages.notAllowed} ${messages.howToAllow}`} />
      )}
    </Dialog>
  );
}

function AllowedUsers({ site, onClose }: Props) {
  const { data, error, isFetching, refetch } = useQuery(loginUsersQuery(site.id));
  if (error && !isFetching) return <ErrorNote error={error} onRetry={refetch} />;
  if (!data) return <SkeletonRows rows={3} />;
  const [first] = data.users;
  if (!first) return <Instructions site={site} text={messages.noUsers} />;
  return <UserForm site={site} users={data.users} first={first} onClose={onClose} />;
}

/**
 * A form, not a call: the response is a page in a new tab, which posts a token to the site. The screens never have the
 * token.
 */
function UserForm({
  site,
  users,
  first,
  onClose,
}: Props & { users: LoginUser[]; first: LoginUser }) {
  const [id, setId] = useState(String(first.id));
  const chosen = users.find((user) => String(user.id) === id) ?? first;
  // The browser sends the form after this event, so it must stay in the page until then.
  const closeAfterSubmit = () => setTimeout(onClose);
  return (
    <form
      method="post"
      action={loginPath(site.id)}
      target="_blank"
      rel="noopener"
      onSubmit={closeAfterSubmit}
    >
      {Object.entries(loginFields(chosen.id)).map(([name, value]) => (
        <input type="hidden" key={name} name={name} value={value} />
      ))}
      <Stack gap="sm">
        <Radio.Group label={messages.user} value={id} onChange={setId}>
          <Stack gap="xs" mt="xs">
            {users.map(({ id, login, name, role }) => (
              <Radio
                key={id}
                value={String(id)}
                label={login}
                description={messages.userWithRole(name || login, role)}
              />
            ))}
          </Stack>
        </Radio.Group>
        <Text size="sm" c="dimmed">
          {messages.note}
        </Text>
        <DialogFooter>
          <Button variant="default" onClick={onClose}>
            {commonMessages.cancel}
          </Button>
          <Button type="submit" data-autofocus>
            {messages.submit(chosen.login)}
          </Button>
        </DialogFooter>
      </Stack>
    </form>
  );
}

function Instructions({ site, text }: { site: SiteDetails; text: string }) {
  const home = siteHref(site.url)?.replace(/\/$/, '') ?? '';
  return (
    <Stack gap="sm">
      <Text size="sm">{text}</Text>
      <Anchor
        size="sm"
        href={`${home}/wp-admin/options-general.php?page=steward`}
        target="_blank"
        rel="noreferrer"
      >
        {messages.openSettings}
      </Anchor>
    </Stack>
  );
}
