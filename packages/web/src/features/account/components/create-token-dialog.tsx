import { Checkbox, Radio, Select, Stack, TextInput } from '@mantine/core';
import {
  ACCESS_TOKEN_DAYS_DEFAULT,
  ACCESS_TOKEN_DAYS_MAX,
  ACCESS_TOKEN_NAME_MAX_LENGTH,
  type CreateAccessTokenRequest,
  type CreatedAccessTokenResponse,
  listTokenActions,
  type Role,
  type TokenAction,
} from '@steward/contract';
import { useState } from 'react';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { SearchMultiSelect } from '../../../components/search-multi-select.tsx';
import type { FoundOption } from '../../../components/search-select.tsx';
import { findSites } from '../../../components/site-select.tsx';
import { createAccessToken } from '../../../lib/access-tokens-api.ts';
import { findClients } from '../../../lib/clients-api.ts';
import { useUser } from '../../../lib/session.ts';
import { findLicenses, findTags } from '../../../lib/users-api.ts';
import { accessTokenMessages } from '../../../messages/access-tokens.ts';
import { blockedMessages } from '../../../messages/blocked.ts';

const messages = accessTokenMessages.dialog;
const DAYS = [7, 30, ACCESS_TOKEN_DAYS_DEFAULT, 180, ACCESS_TOKEN_DAYS_MAX];

type Props = {
  onCreated: (created: CreatedAccessTokenResponse) => Promise<unknown>;
  onClose: () => void;
};

type Targets = Record<'sites' | 'licenses' | 'clients' | 'tags', FoundOption[]>;
const NO_TARGETS: Targets = { sites: [], licenses: [], clients: [], tags: [] };

/** Asks for the name, the expiry, the sites and the actions of a new token. */
export function CreateTokenDialog({ onCreated, onClose }: Props) {
  const user = useUser();
  const [name, setName] = useState('');
  const [days, setDays] = useState(String(ACCESS_TOKEN_DAYS_DEFAULT));
  const [isLimited, setLimited] = useState(false);
  const [targets, setTargets] = useState(NO_TARGETS);
  const [chosen, setChosen] = useState<TokenAction[]>(['read']);
  const role = roleFor(user.role, isLimited);
  const possible = listTokenActions(role);
  const actions = chosen.filter((action) => possible.includes(action));
  const hasTargets = Object.values(targets).some((options) => options.length > 0);

  return (
    <ConfirmDialog
      title={messages.title}
      confirmLabel={accessTokenMessages.create}
      blockedBy={
        name.trim() === '' || actions.length === 0 || (isLimited && !hasTargets)
          ? blockedMessages.token
          : null
      }
      onConfirm={async () => {
        const expires_in_days = Number(days);
        const access = isLimited ? { access: toAccess(targets) } : {};
        const request = { name: name.trim(), role, actions, expires_in_days, ...access };
        await onCreated(await createAccessToken(request));
      }}
      onClose={onClose}
    >
      <TextInput
        label={messages.name}
        description={messages.nameHint}
        maxLength={ACCESS_TOKEN_NAME_MAX_LENGTH}
        autoComplete="off"
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Select
        label={messages.expires}
        data={DAYS.map((each) => ({ value: String(each), label: messages.days(each) }))}
        allowDeselect={false}
        value={days}
        onChange={(value) => setDays(value ?? days)}
      />
      <Radio.Group
        label={messages.access}
        value={isLimited ? 'some' : 'all'}
        onChange={(value) => setLimited(value === 'some')}
      >
        <Stack gap={6} mt={4}>
          <Radio
            value="all"
            label={user.role === 'owner' ? messages.all.owner : messages.all.other}
          />
          <Radio
            value="some"
            label={messages.some}
            {...(user.role === 'owner' && { description: messages.someHint })}
          />
        </Stack>
      </Radio.Group>
      {isLimited && (
        <TargetFields isOwner={user.role === 'owner'} targets={targets} onChange={setTargets} />
      )}
      <Checkbox.Group
        label={messages.actions}
        value={actions}
        onChange={(values) => setChosen(values as TokenAction[])}
      >
        <Stack gap={8} mt={4}>
          {possible.map((action) => (
            <Checkbox key={action} value={action} {...accessTokenMessages.actions[action]} />
          ))}
        </Stack>
      </Checkbox.Group>
    </ConfirmDialog>
  );
}

type FieldProps = { isOwner: boolean; targets: Targets; onChange: (targets: Targets) => void };

/** Only owners choose licenses, clients and tags, which may include sites that a manager cannot see. */
function TargetFields({ isOwner, targets, onChange }: FieldProps) {
  const fields = [
    ['sites', findSites],
    ...(isOwner
      ? ([
          ['licenses', findLicenses],
          ['clients', findClients],
          ['tags', findTags],
        ] as const)
      : []),
  ] as const;
  return fields.map(([kind, find]) => (
    <SearchMultiSelect
      key={kind}
      label={messages[kind]}
      resource={`token-${kind}`}
      find={find}
      value={targets[kind]}
      onChange={(options) => onChange({ ...targets, [kind]: options })}
    />
  ));
}

/** The role owner has access to all sites, so a token of an owner for some sites has the role manager. */
function roleFor(own: Role, isLimited: boolean): Role {
  return own === 'owner' && isLimited ? 'manager' : own;
}

function toAccess({ sites, licenses, clients, tags }: Targets): CreateAccessTokenRequest['access'] {
  return {
    site_ids: sites.map(({ value }) => Number(value)),
    license_ids: licenses.map(({ value }) => Number(value)),
    client_ids: clients.map(({ value }) => Number(value)),
    tags: tags.map(({ value }) => value),
  };
}
