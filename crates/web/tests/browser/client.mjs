// The description of the interface: a validator accepts it, and a client made from it works.

import { Validator } from "@seriousme/openapi-schema-validator";
import { OpenAPIClientAxios } from "openapi-client-axios";
import { equal, ok, test } from "./harness.mjs";

export function clientTests(base, ending) {
  test("the description of the interface is valid, and a client made from it works", async () => {
    const definition = await (await fetch(`${base}/api/v1/openapi.json`)).json();
    const validator = new Validator();
    const { valid, errors } = await validator.validate(structuredClone(definition));
    ok(valid, JSON.stringify(errors));
    const client = await new OpenAPIClientAxios({
      definition: { ...definition, servers: [{ url: base }] },
    }).init();
    const games = (await client.listGames()).data;
    ok(
      games.some((game) => game.name === "awari"),
      "the games",
    );
    const position = { game: "awari", position: ending };
    const probed = (await client.probePosition(position)).data;
    const { moves } = (await client.listMoves(position)).data;
    equal(Math.max(...moves.map((one) => one.value.points)), probed.value.points, "the best move");
    const batch = (await client.probePositions({ game: "awari" }, { positions: [ending, "nonsense"] })).data;
    equal(batch.results[0], probed.value, "one of a batch");
    equal(batch.results[1].problem.type, "/api#bad-position", "one that is wrong");
    const line = (await client.playBestLine({ ...position, plies: 2 })).data;
    equal(line.nodes.length, 3, "a line");
    const found = (await client.findRandomPosition({ game: "awari", slice: "5", only: "best", seed: 1 }))
      .data;
    ok(found.position, "a position");
    const { games: read } = (await client.readRecords(null, { text: "F4 c5", game: "awari" })).data;
    equal(read[0].moves, ["F4", "c5"], "a record");
    const review = (await client.reviewGame({ game: "awari" }, { record: `[Position "${ending}"]\n\nC1` }))
      .data;
    ok(review.includes("event: review"), "a review");
    const puzzle = (await client.findPuzzle({ game: "awari", slice: "7", seed: 1 })).data;
    equal(puzzle.levels.length, 10, "a puzzle");
    const seeds = (await client.compareSeeds({ ...position })).data;
    equal(seeds.rows[0].length, 6, "pits");
    const job = await client.startJob(null, { game: "awari", options: "pits=2", up_to: "2" });
    equal(job.status, 202, "a job");
    equal((await client.cancelJob({ id: job.data.id })).status, 202, "its end");
    const wrong = await client.getGame({ game: "chequers" }).catch((error) => error.response);
    equal([wrong.status, wrong.data.type], [404, "/api#no-such-game"], "a problem");
  });
}
