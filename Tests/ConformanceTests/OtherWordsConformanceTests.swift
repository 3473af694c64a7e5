import Foundation
import ORMConformance
import ORMCore
import SQLEngine
import TestSupport
import Testing

/// The suite on a store whose dialect writes every word otherwise that a dialect may change.
///
/// No word of the default dialect may be left: the engine would have written it past the dialect.
@Suite("A store whose dialect has other words conforms", .serialized)
struct OtherWordsConformanceTests {
  /// A share of the cases; every other one has no functions.
  struct Run: CustomTestStringConvertible {
    let testCase: ConformanceCase
    let evaluatesInEngine: Bool

    var testDescription: String {
      testCase.name + (evaluatesInEngine ? "" : ", without functions")
    }

    /// Unless every case of each store runs, a quarter of a share.
    static let all: [Run] = {
      let share = VariantShare.cases(of: ConformanceSuite.all, number: 3)
      return stride(from: 0, to: share.count, by: VariantShare.count).enumerated().map {
        Run(testCase: share[$1], evaluatesInEngine: $0.isMultiple(of: 2))
      }
    }()
  }

  @Test("every case of a share holds, and no default word is written", arguments: Run.all)
  func caseHolds(_ run: Run) async throws {
    let dialect = OtherWordsDialect(WrittenStatements(), evaluatesInEngine: run.evaluatesInEngine)
    try await run.testCase.hold(on: dialect.provider)
    let statements = dialect.statements
    #expect(statements.faults == [])
    // Cases of the same models write the same statements.
    let known = Self.checked.withLock { $0 }
    let parts = statements.all.subtracting(known).map { sql in
      let parts = StatementParts(sql)
      let defaults = parts.defaults
      #expect(defaults.isEmpty, "\(defaults) in \(sql)")
      return parts
    }
    Self.checked.withLock { $0.formUnion(statements.all) }
    // What is no word of the dialect must be one that the page lists.
    let page = try Self.page()
    let words = parts.reduce(into: Set<String>()) { $0.formUnion($1.words) }
    #expect(words.subtracting(OtherWordsDialect.ownWords).subtracting(page) == [])
    let functions = parts.reduce(into: Set<String>()) { $0.formUnion($1.functions) }
      .subtracting(OtherWordsDialect.ownFunctions).subtracting(SQLFunction.allCases.map(\.rawValue))
    #expect(functions.subtracting(page) == [])
  }

  /// The statements that cases before have checked.
  private static let checked = Lock<Set<String>>([])

  private static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Sources/SQLEngine")

  /// The words and functions that the page for authors lists.
  private static func page() throws -> Set<String> {
    let page = try String(
      contentsOf: sources.appending(path: "SQLEngine.docc/WritingASQLBackend.md"), encoding: .utf8)
    let list = try #require(page.components(separatedBy: "\n```\nADD ").dropFirst().first)
    let words = try #require(list.components(separatedBy: "\n```").first)
    return Set(["ADD"] + words.split(whereSeparator: \.isWhitespace).map(String.init))
  }

  @Test("every word that the page lists is one of the engine's")
  func pageIsCurrent() throws {
    let files = try #require(
      FileManager.default.enumerator(at: Self.sources, includingPropertiesForKeys: nil))
    var texts = ""
    for case let file as URL in files where file.pathExtension == "swift" {
      texts += try String(contentsOf: file, encoding: .utf8)
    }
    for word in try Self.page() { #expect(texts.contains(word), "\(word)") }
  }

  /// Statements as the default dialect writes them, and what is found in each.
  static let defaultStatements: [(sql: String, found: [String])] = [
    (#"SELECT `a` FROM `main`."t""#, ["a name in double quotes"]),
    ("SELECT `a` FROM `main`.`t` WHERE `a` = ?1", ["a placeholder ?1"]),
    ("SELECT `a` FROM `main`.`t` WHERE `a` IS ?01", ["IS or IS NOT between values"]),
    ("SELECT `a` FROM `main`.`t` WHERE (`a` > ?01) IS NOT 1", ["IS or IS NOT between values"]),
    ("SELECT max(`a`) + 0.0 FROM `main`.`t`", ["0.0"]),
    ("SELECT CAST(?01 AS DOUBLE PRECISION)", ["CAST AS DOUBLE"]),
    ("SELECT CAST(?01 AS TEXT)", ["CAST AS TEXT"]),
    ("SELECT `a` FROM `main`.`t` ORDER BY `a` NULLS LAST", ["NULLS"]),
    ("INSERT INTO `main`.`t` (`a`) VALUES (?01) ON CONFLICT (`a`) DO NOTHING", ["CONFLICT"]),
    ("SELECT 1 WHERE EXISTS (WITH `w` AS (SELECT 1) SELECT 1)", ["WITH"]),
    ("SELECT EXISTS (WITH `w` AS (SELECT 1) SELECT 1 FROM `w`)", []),
    (
      "SELECT EXISTS (WITH `w` AS (SELECT 1) SELECT 1 FROM `w`, (SELECT 1 FROM `t`))",
      ["FROM of a bare table"]
    ),
    ("CREATE UNIQUE INDEX `main`.`$i` ON `t` (`a`)", ["INDEX without IF"]),
    ("DROP INDEX `main`.`$i`", ["INDEX without IF"]),
    ("DELETE FROM `main`.`t` AS `t0` WHERE `t0`.`a` = ?01", ["DELETE FROM"]),
    ("SELECT `a` FROM `t`", ["FROM of a bare table"]),
    ("SELECT `a` FROM `main`.`t` LIMIT ?01", ["LIMIT ?1"]),
    (
      "DELETE FROM `main`.`t` NOT INDEXED WHERE `a` IN (SELECT `a` FROM `main`.`t` LIMIT (?01))",
      ["LIMIT in IN"]
    ),
    ("SELECT 'it''s \"IS\" ?1 0.0', `a``\"b` FROM `main`.`t` WHERE `a` IS NOT NULL", []),
    ("SELECT `a` FROM `main`.`t` WHERE `a` IS NOT DISTINCT FROM ?01", []),
    ("SELECT `a` FROM `main`.`t` WHERE `a` IS NOT DISTINCT FROM `b`", []),
    (
      "CREATE TRIGGER IF NOT EXISTS `x` AFTER DELETE ON `t` BEGIN DELETE FROM `e` WHERE `o` = old.`a`; END",
      []
    ),
  ]

  @Test("default words are found in statements", arguments: defaultStatements)
  func wordsAreFound(_ sql: String, _ found: [String]) {
    #expect(StatementParts(sql).defaults == found)
  }
}
