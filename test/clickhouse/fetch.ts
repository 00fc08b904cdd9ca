/** Fetches chdb where it is missing, before tests whose time is limited. */
import { findFolder } from "./chdb.ts";

findFolder();
