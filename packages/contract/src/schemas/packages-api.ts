import Type from 'typebox';
import { nullable, stringEnum, timestamp, trueOnly } from './common.ts';
import { Package } from './site-packages-api.ts';

/** The API for signed-in users: packages of plugins and themes to install on sites. */

/** An uploaded zip file, and the data that the panel read from it. */
export const UploadedPackage = Type.Object({
  id: Type.Integer(),
  type: stringEnum(['plugin', 'theme']),
  slug: Type.String({ description: 'A plugin’s `directory/file.php`; a theme’s folder.' }),
  name: Type.String(),
  version: Type.String(),
  requires: Type.Unsafe<string | null>({
    ...nullable.string(),
    description: 'The lowest version of the CMS. Null: not stated.',
  }),
  requires_php: nullable.string(),
  sha256: Package.properties.sha256,
  size: Package.properties.size,
  uploaded_by: nullable.integer(),
  created_at: timestamp(),
});
export type UploadedPackage = Type.Static<typeof UploadedPackage>;

export const PackageResponse = Type.Object({ success: trueOnly(), package: UploadedPackage });
export const PackagesResponse = Type.Object({
  success: trueOnly(),
  packages: Type.Array(UploadedPackage, { description: 'The newest first.' }),
});
