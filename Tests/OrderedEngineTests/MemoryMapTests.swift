import MemoryBackend
import ORMCore
import OrderedEngine
import Testing

@Suite struct MemoryMapTests {
  static let contract = OrderedStoreContract<MemoryMap> { MemoryMap() }

  @Test(arguments: OrderedStoreContract<MemoryMap>.cases)
  func keepsTheContract(_ item: OrderedStoreContract<MemoryMap>.Case) throws {
    let map = MemoryMap()
    try item.body(map)
    try map.checkInvariants()
    try map.close()
  }

  @Test func agreesWithTheModel() throws { try Self.contract.compareWithModel() }
}
