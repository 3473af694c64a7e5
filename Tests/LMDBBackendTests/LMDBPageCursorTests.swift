import Foundation
import ORMStorage
import OrderedEngine
import TestSupport
import Testing

@testable import LMDBBackend

/// The state of a cursor over mapped pages, after every step of a random walk.
@Suite struct LMDBPageCursorTests {
  static let folder = TestFolder(inMemory: true)

  @Test(arguments: [0, 1, 40, 3_000])
  func invariantsHoldAfterEveryStep(entries: Int) throws {
    let seed = runSeed()
    var random = SeededGenerator(seed: seed)
    let map = try LMDBMap(path: Self.folder.newPath())
    defer { try? map.close() }
    func randomKey() -> [UInt8] {
      Array("\(Int.random(in: 0..<max(entries, 1) * 2, using: &random)) of the keys".utf8)
    }
    let batch = try map.batch(wait: 5)
    for _ in 0..<entries {
      // Some have pages of their own, so that a leaf has few entries and the tree several levels.
      let size = Int.random(in: 0..<30, using: &random) == 0 ? 9_000 : 200
      let (key, value) = (randomKey(), [UInt8](repeating: 7, count: size))
      try key.withUnsafeBytes { key in
        try value.withUnsafeBytes { try batch.put(key, $0, in: 1) }
      }
    }
    try batch.commit()
    let snapshot = try map.snapshot()
    defer { snapshot.end() }
    let cursor = try snapshot.cursor(in: 1)
    let room = UnsafeMutableBufferPointer<OrderedEntry>.allocate(capacity: 40)
    defer { room.deallocate() }
    for step in 0..<2_000 {
      let key = randomKey()
      try key.withUnsafeBytes { key in
        switch Int.random(in: 0..<8, using: &random) {
        case 0: _ = try cursor.seek(key)
        case 1: _ = try cursor.seek(before: key)
        case 2: _ = try cursor.value(of: key)
        case 3: _ = try cursor.seekLast()
        case 4: _ = try cursor.next()
        case 5: _ = try cursor.previous()
        case 6: _ = try cursor.move(by: .random(in: -300...300, using: &random))
        default: _ = try cursor.read(room, forwards: .random(using: &random))
        }
      }
      #expect(throws: Never.self, "seed \(seed), step \(step)") { try cursor.checkInvariants() }
    }
  }
}
