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
    function get_option() { return 'https://${siteUrl}'; }
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
