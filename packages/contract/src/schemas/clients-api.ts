import Type from 'typebox';
import {
  CLIENT_NAME_MAX_LENGTH,
  SITE_DISPLAY_NAME_MAX_LENGTH,
  SITE_IDS_MAX,
  SITE_NOTE_MAX_LENGTH,
} from '../limits.ts';
import { nullable, requiredText, timestamp, trueOnly } from './common.ts';

/** The API for clients: whom the sites belong to. */

export const ClientItem = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  contact_name: nullable.string(),
  contact_email: nullable.string(),
  time_zone: Type.String({ description: 'A name of the IANA database, such as Europe/Berlin.' }),
  logo: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'A text that changes with the logo. Null: no logo.',
  }),
  sites: Type.Integer({ description: 'The sites of the client that you may see.' }),
  created_at: timestamp(),
  archived_at: nullable.timestamp(),
});
export type ClientItem = Type.Static<typeof ClientItem>;

export const ClientsResponse = Type.Object({
  success: trueOnly(),
  clients: Type.Array(ClientItem),
});
export const ClientResponse = Type.Object({ success: trueOnly(), client: ClientItem });

export const ClientLogoQuery = Type.Object({
  v: Type.Optional(
    Type.String({
      maxLength: 64,
      description:
        'The `logo` of the client. It has no effect on the response: browsers load the image again when it changes.',
    }),
  ),
});

const optionalText = (maxLength: number) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength });

/** Names must not contain control characters, nor characters that change the direction of writing. */
export const CreateClientRequest = Type.Object({
  name: requiredText(CLIENT_NAME_MAX_LENGTH),
  contact_name: Type.Optional(optionalText(CLIENT_NAME_MAX_LENGTH)),
  contact_email: Type.Optional(optionalText(254)),
  time_zone: Type.Optional(requiredText(64)),
});
export type CreateClientRequest = Type.Static<typeof CreateClientRequest>;

export const UpdateClientRequest = Type.Partial(CreateClientRequest);
export type UpdateClientRequest = Type.Static<typeof UpdateClientRequest>;

const clientId = () =>
  Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
  });

/** A field that is not sent stays as it is. Null or an empty text removes it. */
export const UpdateSiteRequest = Type.Object({
  display_name: Type.Optional(optionalText(SITE_DISPLAY_NAME_MAX_LENGTH)),
  note: Type.Optional(optionalText(SITE_NOTE_MAX_LENGTH)),
  client_id: Type.Optional(clientId()),
});
export type UpdateSiteRequest = Type.Static<typeof UpdateSiteRequest>;

export const SetClientRequest = Type.Object({
  site_ids: Type.Array(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), {
    minItems: 1,
    maxItems: SITE_IDS_MAX,
  }),
  client_id: clientId(),
});
export type SetClientRequest = Type.Static<typeof SetClientRequest>;

export const SetClientResponse = Type.Object({
  success: Type.Boolean({ description: 'False: at least one site was not found.' }),
  changed: Type.Integer({ description: 'The number of sites whose client changed.' }),
  not_found: Type.Integer({
    description: 'The number of sites that do not exist or that you may not see.',
  }),
});
export type SetClientResponse = Type.Static<typeof SetClientResponse>;
