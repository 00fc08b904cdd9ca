import { Sql, sql } from "../../sql/sql.ts";

/** The place of a text in another, from 1, or 0. Whether it is held at all DuckDB tells without counting characters. */
export class Position extends Sql {
  readonly isHeld: Sql;

  constructor(text: Sql, wanted: Sql) {
    const { text: printed, facts } = sql`strpos(${text}, ${wanted})`;
    super(printed, facts);
    this.isHeld = sql`contains(${text}, ${wanted})`;
  }
}
