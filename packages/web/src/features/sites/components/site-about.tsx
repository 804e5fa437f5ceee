import { Anchor, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { SiteDetails } from '@steward/contract';
import { TextLink } from '../../../components/text-link.tsx';
import { useHasPermission } from '../../../lib/session.ts';
import { siteAboutMessages as messages } from '../../../messages/site-about.ts';
import styles from './site-about.module.css';
import { SiteDialog } from './site-dialog.tsx';

/** The client and the note of a site. The display name is in the title of the page. */
export function SiteAbout({ site }: { site: SiteDetails }) {
  const mayAct = useHasPermission('sites.act');
  const [isOpen, dialog] = useDisclosure(false);
  const { client, note } = site;
  if (!mayAct && client === null && note === null) return null;
  return (
    <section className={styles.about} aria-label={messages.label}>
      {client && (
        <Text size="sm">
          {messages.client}{' '}
          <TextLink
            to="/sites"
            search={{ client_id: String(client.id) }}
            inherit
            underline="always"
          >
            {client.name}
          </TextLink>
        </Text>
      )}
      {note !== null && <p className={styles.note}>{note}</p>}
      {mayAct && (
        <Anchor component="button" size="sm" onClick={dialog.open}>
          {messages.edit}
        </Anchor>
      )}
      {isOpen && <SiteDialog site={site} onClose={dialog.close} />}
    </section>
  );
}
