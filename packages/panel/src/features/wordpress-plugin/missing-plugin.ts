import { AppError } from '../../platform/app-error.ts';

/** Explains the error of a panel without the files of the plugin. */
export async function withMissingPluginError<T>(
  folder: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
    throw new AppError('not_found', {
      message:
        'This panel was installed without the WordPress plugin. Build the zip with npm run plugin:zip in a full copy of the project.',
      internal: `${folder} does not exist`,
      cause,
    });
  }
}
