import Foundation
import ORMConformance
import OrderedEngine
import TestSupport
import Testing

/// The map that the manual of the engine shows.
@Suite struct SortedArrayMapTests {
  static let contract = OrderedStoreContract<SortedArrayMap> { SortedArrayMap() }

  @Test(arguments: OrderedStoreContract<SortedArrayMap>.cases)
  func keepsTheContract(_ item: OrderedStoreContract<SortedArrayMap>.Case) throws {
    try Self.contract.run(item, seed: runSeed())
  }

  @Test func agreesWithTheModel() throws { try Self.contract.compareWithModel(seed: runSeed()) }

  @Test func isTheExampleOfTheManual() throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let article =
      "../../Sources/OrderedEngine/OrderedEngine.docc/WritingAnOrderedMap.md"
    let code = try String(contentsOf: file.appending(path: "SortedArrayMap.swift"), encoding: .utf8)
    let manual = try String(contentsOf: file.appending(path: article), encoding: .utf8)
    #expect(manual.contains("```swift\n\(code)```\n"), "copy the file into the article")
  }
}
