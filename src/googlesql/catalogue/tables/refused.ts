/**
 * Functions that are refused by name, so that a caller reads why instead of "not found": those of the published reference
 * whose data this service does not have, and those that only other products of the GoogleSQL family publish.
 */
import type { FunctionDefinition } from "../types.ts";

function refuse(area: string, summary: string, refused: string, names: string): readonly FunctionDefinition[] {
  return names
    .trim()
    .split(/\s+/)
    .map((name) => ({ name, kind: "scalar", signatures: [], area, summary, refused }));
}

/** Pairs of a name and what to write instead. */
function elsewhere(area: string, instead: Readonly<Record<string, string>>): readonly FunctionDefinition[] {
  return Object.entries(instead).map(([name, text]) => ({
    name,
    kind: "scalar",
    signatures: [],
    area,
    summary: "Of other products of the GoogleSQL family only",
    refused: `BigQuery's GoogleSQL does not have it; ${text}`,
  }));
}

export const refusedFunctions: readonly FunctionDefinition[] = [
  ...refuse(
    "geography",
    "Geography",
    "there is no GEOGRAPHY type here",
    `ST_ANGLE ST_AREA ST_ASBINARY ST_ASGEOJSON ST_ASTEXT ST_AZIMUTH ST_BOUNDARY ST_BOUNDINGBOX ST_BUFFER
     ST_BUFFERWITHTOLERANCE ST_CENTROID ST_CENTROID_AGG ST_CLOSESTPOINT ST_CLUSTERDBSCAN ST_CONTAINS ST_CONVEXHULL
     ST_COVEREDBY ST_COVERS ST_DIFFERENCE ST_DIMENSION ST_DISJOINT ST_DISTANCE ST_DUMP ST_DWITHIN ST_ENDPOINT ST_EQUALS
     ST_EXTENT ST_EXTERIORRING ST_GEOGFROM ST_GEOGFROMGEOJSON ST_GEOGFROMTEXT ST_GEOGFROMWKB ST_GEOGPOINT
     ST_GEOGPOINTFROMGEOHASH ST_GEOHASH ST_GEOMETRYTYPE ST_HAUSDORFFDISTANCE ST_HAUSDORFFDWITHIN ST_INTERIORRINGS
     ST_INTERSECTION ST_INTERSECTS ST_INTERSECTSBOX ST_ISCLOSED ST_ISCOLLECTION ST_ISEMPTY ST_ISRING ST_LENGTH
     ST_LINEINTERPOLATEPOINT ST_LINELOCATEPOINT ST_LINESUBSTRING ST_MAKELINE ST_MAKEPOLYGON ST_MAKEPOLYGONORIENTED
     ST_MAXDISTANCE ST_NPOINTS ST_NUMGEOMETRIES ST_NUMPOINTS ST_PERIMETER ST_POINTN ST_REGIONSTATS ST_SIMPLIFY
     ST_SNAPTOGRID ST_STARTPOINT ST_TOUCHES ST_UNION ST_UNION_AGG ST_WITHIN ST_X ST_Y S2_CELLIDFROMPOINT
     S2_COVERINGCELLIDS`,
  ),
  ...refuse(
    "machine learning",
    "Machine learning",
    "there are no models here",
    `ML.BAG_OF_WORDS ML.BUCKETIZE ML.CONVERT_COLOR_SPACE ML.CONVERT_IMAGE_TYPE ML.DECODE_IMAGE ML.DISTANCE ML.FEATURE_CROSS
     ML.HASH_BUCKETIZE ML.IMPUTER ML.LABEL_ENCODER ML.LP_NORM ML.MAX_ABS_SCALER ML.MIN_MAX_SCALER ML.MULTI_HOT_ENCODER
     ML.NGRAMS ML.NORMALIZER ML.ONE_HOT_ENCODER ML.POLYNOMIAL_EXPAND ML.QUANTILE_BUCKETIZE ML.RESIZE_IMAGE
     ML.ROBUST_SCALER ML.STANDARD_SCALER ML.TF_IDF AI.AGG AI.CLASSIFY AI.EMBED AI.GENERATE AI.GENERATE_BOOL
     AI.GENERATE_DOUBLE AI.GENERATE_INT AI.IF AI.SCORE AI.SIMILARITY`,
  ),
  ...refuse(
    "differential privacy",
    "Differential privacy",
    "there are no privacy policies here",
    `ANON_AVG ANON_COUNT ANON_PERCENTILE_CONT ANON_QUANTILES ANON_STDDEV_POP ANON_SUM ANON_VAR_POP`,
  ),
  ...refuse("measure", "Aggregates a measure", "sources here have no measures", "AGG"),
  ...refuse(
    "object",
    "Object storage",
    "a query here reads its own sources only",
    "OBJ.FETCH_METADATA OBJ.GET_ACCESS_URL OBJ.MAKE_REF EXTERNAL_OBJECT_TRANSFORM",
  ),
  ...elsewhere("array", {
    ARRAY_AVG: "write (SELECT AVG(x) FROM UNNEST(array) AS x)",
    ARRAY_FILTER: "write ARRAY(SELECT x FROM UNNEST(array) AS x WHERE ...)",
    ARRAY_FIND: "write (SELECT x FROM UNNEST(array) AS x WITH OFFSET AS i WHERE ... ORDER BY i LIMIT 1)",
    ARRAY_FIND_ALL: "write ARRAY(SELECT x FROM UNNEST(array) AS x WHERE ...)",
    ARRAY_INCLUDES: "write value IN UNNEST(array)",
    ARRAY_INCLUDES_ALL: "write NOT EXISTS(SELECT 1 FROM UNNEST(values) AS v WHERE v NOT IN UNNEST(array))",
    ARRAY_INCLUDES_ANY: "write EXISTS(SELECT 1 FROM UNNEST(values) AS v WHERE v IN UNNEST(array))",
    ARRAY_IS_DISTINCT: "write (SELECT COUNT(*) = COUNT(DISTINCT x) FROM UNNEST(array) AS x)",
    ARRAY_MAX: "write (SELECT MAX(x) FROM UNNEST(array) AS x)",
    ARRAY_MIN: "write (SELECT MIN(x) FROM UNNEST(array) AS x)",
    ARRAY_OFFSET: "write (SELECT i FROM UNNEST(array) AS x WITH OFFSET AS i WHERE x = ... ORDER BY i LIMIT 1)",
    ARRAY_OFFSETS: "write ARRAY(SELECT i FROM UNNEST(array) AS x WITH OFFSET AS i WHERE x = ... ORDER BY i)",
    ARRAY_SUM: "write (SELECT SUM(x) FROM UNNEST(array) AS x)",
    ARRAY_TRANSFORM: "write ARRAY(SELECT ... FROM UNNEST(array) AS x WITH OFFSET AS i ORDER BY i)",
    ARRAY_ZIP:
      "write ARRAY(SELECT AS STRUCT x, y FROM UNNEST(a) AS x WITH OFFSET JOIN UNNEST(b) AS y WITH OFFSET USING (offset))",
    FLATTEN: "write UNNEST for each array on the way",
  }),
  ...elsewhere("mathematical", {
    PI: "write ACOS(-1)",
    PI_NUMERIC: "write NUMERIC '3.141592654'",
    PI_BIGNUMERIC: "write BIGNUMERIC '3.1415926535897932384626433832795028842'",
    RADIANS: "write x * ACOS(-1) / 180",
    DEGREES: "write x * 180 / ACOS(-1)",
    DOT_PRODUCT: "write (SELECT SUM(x * b[OFFSET(i)]) FROM UNNEST(a) AS x WITH OFFSET AS i)",
  }),
  ...elsewhere("conditional", {
    NULLIFZERO: "write NULLIF(x, 0)",
    ZEROIFNULL: "write IFNULL(x, 0)",
    IFERROR: "write IFNULL(SAFE.function(...), ...)",
    ISERROR: "write SAFE.function(...) IS NULL",
    NULLIFERROR: "write SAFE.function(...)",
  }),
  ...elsewhere("numbering", {
    IS_FIRST: "write ROW_NUMBER() OVER (...) <= k",
    IS_LAST: "write ROW_NUMBER() OVER (...) <= k with the opposite order",
  }),
];
