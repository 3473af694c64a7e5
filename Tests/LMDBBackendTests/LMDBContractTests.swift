import LMDBBackend
import ORMConformance
import ORMCore
import OrderedEngine
import TestSupport
import Testing

/// The contract of every ordered store, on LMDB.
@Suite struct LMDBContractTests {
  static let folder = TestFolder(inMemory: true)
  static let contract = OrderedStoreContract<LMDBMap> { try LMDBMap(path: folder.newPath()) }

  @Test(arguments: OrderedStoreContract<LMDBMap>.cases)
  func keepsTheContract(_ item: OrderedStoreContract<LMDBMap>.Case) throws {
    try Self.contract.run(item, seed: runSeed())
  }

  @Test func agreesWithTheModel() throws { try Self.contract.compareWithModel(seed: runSeed()) }
}

/// The same contract, on the library's cursors.
@Suite struct LMDBLibraryContractTests {
  static let folder = TestFolder(inMemory: true)
  static let contract = OrderedStoreContract<LMDBLibraryMap> {
    try LMDBLibraryMap(path: folder.newPath())
  }

  @Test(arguments: OrderedStoreContract<LMDBLibraryMap>.cases)
  func keepsTheContract(_ item: OrderedStoreContract<LMDBLibraryMap>.Case) throws {
    try Self.contract.run(item, seed: runSeed())
  }

  @Test func agreesWithTheModel() throws { try Self.contract.compareWithModel(seed: runSeed()) }
}
