import ORM
import ORMConformance
import SQLiteBackend
import TestSupport
import Testing

extension PathProvider {
  /// Makes SQLite stores on files.
  static func sqlite(checksums: Bool = false, evaluatesInEngine: Bool = true) -> PathProvider {
    var sqlite = SQLiteOptions()
    sqlite.checksums = checksums
    sqlite.evaluatesInEngine = evaluatesInEngine
    return PathProvider(evaluatesInEngine ? "SQLiteStore" : "SQLiteStore without functions") {
      [sqlite] in try SQLiteStore(path: $0, schema: $1, options: $2, sqlite: sqlite)
    }
  }
}

@Suite("SQLiteStore conforms", .serialized)
struct SQLiteConformanceTests {
  @Test("every case holds", arguments: ConformanceSuite.all)
  func caseHolds(_ testCase: ConformanceCase) async throws {
    try await testCase.hold(on: PathProvider.sqlite())
  }
}

@Suite("SQLiteStore conforms with checksums and an instrument", .serialized)
struct SQLiteChecksumConformanceTests {
  @Test(
    "every case of a share holds",
    arguments: VariantShare.cases(of: ConformanceSuite.all, number: 1))
  func caseHolds(_ testCase: ConformanceCase) async throws {
    try await testCase.hold(on: ReportedProvider(PathProvider.sqlite(checksums: true)))
  }
}

@Suite("SQLiteStore conforms without functions", .serialized)
struct SQLiteWithoutFunctionsConformanceTests {
  @Test(
    "every case of a share holds",
    arguments: VariantShare.cases(of: ConformanceSuite.all, number: 2))
  func caseHolds(_ testCase: ConformanceCase) async throws {
    try await testCase.hold(on: PathProvider.sqlite(evaluatesInEngine: false))
  }
}
