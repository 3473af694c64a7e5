import LMDBBackend
import ORM
import ORMConformance
import TestSupport
import Testing

extension PathProvider {
  /// Makes LMDB stores on files.
  static func lmdb(readsPagesDirectly: Bool = true) -> PathProvider {
    var lmdb = LMDBOptions()
    lmdb.readsPagesDirectly = readsPagesDirectly
    // The variant leaves conditions to core's evaluator too.
    lmdb.compilesConditions = readsPagesDirectly
    return PathProvider(
      readsPagesDirectly ? "LMDBStore" : "LMDBStore by the library's cursors"
    ) { [lmdb] in try LMDBStore(path: $0, schema: $1, options: $2, lmdb: lmdb) }
  }
}

@Suite("LMDBStore conforms", .serialized)
struct LMDBConformanceTests {
  @Test("every case holds", arguments: ConformanceSuite.all)
  func caseHolds(_ testCase: ConformanceCase) async throws {
    try await testCase.hold(on: PathProvider.lmdb())
  }
}

@Suite("LMDBStore conforms by the library's cursors, with an instrument", .serialized)
struct LMDBLibraryConformanceTests {
  @Test(
    "every case of a share holds",
    arguments: VariantShare.cases(of: ConformanceSuite.all, number: 0))
  func caseHolds(_ testCase: ConformanceCase) async throws {
    try await testCase.hold(on: ReportedProvider(PathProvider.lmdb(readsPagesDirectly: false)))
  }
}
