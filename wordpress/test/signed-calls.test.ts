import { join } from 'node:path';
import callLog from '@steward/contract/vectors/call-log.json' with { type: 'json' };
import vectors from '@steward/contract/vectors/signed-calls.json' with { type: 'json' };
import { run } from '@steward/testkit/command.ts';
import { expect, it } from 'vitest';

const FOLDER = join(import.meta.dirname, '../steward/watchdog');

/** Runs PHP with the watchdog classes on a site at this URL and returns its JSON output. */
async function php(
  code: string,
  siteUrl = 'example.com',
  input: object = vectors,
): Promise<unknown> {
  const setup = `
    error_reporting( E_ALL );
    set_error_handler( function ( $level, $message ) { throw new ErrorException( $message ); } );
    define( 'ABSPATH', '/' );
    function get_option( $name ) { return 'steward_panel_key' === $name ? $GLOBALS['vectors']['public_key'] : 'https://${siteUrl}'; }
    function untrailingslashit( $text ) { return rtrim( $text, '/' ); }
    require '${FOLDER}/Call_Signature.php';
    require '${FOLDER}/Call_Log.php';
    use Steward\\Watchdog\\Call_Log;
    use Steward\\Watchdog\\Call_Signature;
    $vectors = json_decode( stream_get_contents( STDIN ), true );`;
  return JSON.parse(await run('php', ['-r', `${setup} ${code}`], { input: JSON.stringify(input) }));
}

it('verifies the signatures of the test vectors', async () => {
  const results = await php(`
    echo json_encode( array_map( function ( $case ) use ( $vectors ) {
      $text = Call_Signature::build_signed_text( $case['route'], $case['site_url'], $case['timestamp'], $case['nonce'], $case['body'] );
      return [
        $text,
        Call_Signature::is_signature_valid( $text, $case['signature'], $vectors['public_key'] ),
        Call_Signature::is_signature_valid( $text . ' ', $case['signature'], $vectors['public_key'] ),
        Call_Signature::is_signature_valid( $text, '', $vectors['public_key'] ),
        Call_Signature::is_signature_valid( $text, $case['signature'], '' ),
      ];
    }, $vectors['calls'] ) );`);
  expect(results).toEqual(vectors.calls.map(({ text }) => [text, true, false, false, false]));
});

it('accepts a new key only if the old key signed it', async () => {
  const results = await php(`
    $rotation = $vectors['rotation'];
    echo json_encode( [
      Call_Signature::has_signed_successor( $vectors['public_key'], $rotation['new_public_key'], $rotation['signature'] ),
      Call_Signature::has_signed_successor( $rotation['new_public_key'], $vectors['public_key'], $rotation['signature'] ),
    ] );`);
  expect(results).toEqual([true, false]);
});

it('accepts a version of the plugin only with the signature of the panel', async () => {
  const { version, sha256, signature } = vectors.plugin;
  const offer = { slug: 'steward', version, sha256, size: 1, signature };
  const other = vectors.rotation.signature;
  const offers = [
    offer,
    { ...offer, signature: `${other},${signature}` },
    { ...offer, signature: other },
    { ...offer, signature: '' },
    { ...offer, version: '1.2.1' },
    { ...offer, sha256: sha256.replace('9', '8') },
    { ...offer, slug: 'akismet' },
    { ...offer, size: 0 },
    { ...offer, version: `${version}\n` },
  ];
  const code = `
    class WP_Error {}
    function __( $text ) { return $text; }
    require '${FOLDER}/../includes/Self_Update/Own_Plugin.php';
    require '${FOLDER}/../includes/Self_Update/Signed_Version.php';
    echo json_encode( array_map( function ( $offer ) {
      return Steward\\Self_Update\\Signed_Version::read( $offer ) instanceof Steward\\Self_Update\\Signed_Version;
    }, $vectors['offers'] ) );`;
  const results = await php(code, 'example.com', { ...vectors, offers });
  expect(results).toEqual([true, true, ...offers.slice(2).map(() => false)]);
});

it('creates the proof of the test vector', async () => {
  const { challenge, site_key, site_url, proof } = vectors.proof;
  const code = `echo json_encode( Call_Signature::compute_proof( '${challenge}', '${site_key}' ) );`;
  expect(await php(code, site_url)).toBe(proof);
});

it('creates the call log of the test vectors', async () => {
  const code = `
    $head = [ 'sequence' => 0, 'hash' => Call_Log::INITIAL_HASH ];
    foreach ( $vectors['entries'] as $case ) {
      $head   = Call_Log::build_entry( $head, $case['timestamp'], $case['route'], $case['body'], $case['nonce'] );
      $log[] = $head;
    }
    echo json_encode( $log );`;
  const entries = callLog.entries.map(({ body: _, text: __, ...entry }) => entry);
  expect(await php(code, 'example.com', callLog)).toEqual(entries);
});
