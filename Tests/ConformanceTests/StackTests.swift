#if canImport(Glibc)
  import Glibc
  import ORM
  import ORMConformance
  import ORMCore
  import Testing

  /// The stack that a level of a condition takes, measured: a thread's stack is filled with a
  /// pattern, and what is left of it counted.
  @Suite("A level of a condition takes as much stack as is reckoned with", .serialized)
  struct StackTests {
    /// The bytes of its stack that a thread uses for a body.
    static func bytes(of body: @escaping @Sendable () -> Void) -> Int {
      let size = 16 << 20
      let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 1 << 16)
      defer { memory.deallocate() }
      let words = memory.initializeMemory(
        as: UInt64.self, repeating: 0xA5A5_A5A5_A5A5_A5A5, count: size / 8)
      final class Work {
        let body: () -> Void
        init(_ body: @escaping () -> Void) { self.body = body }
      }
      let work = Work(body)
      let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
      pthread_attr_init(attributes)
      pthread_attr_setstack(attributes, memory, size)
      defer {
        pthread_attr_destroy(attributes)
        attributes.deallocate()
      }
      var thread = pthread_t()
      let opaque = Unmanaged.passUnretained(work).toOpaque()
      let code = pthread_create(
        &thread, attributes,
        {
          if let opaque = $0 { Unmanaged<Work>.fromOpaque(opaque).takeUnretainedValue().body() }
          return nil
        }, opaque)
      guard code == 0 else { return 0 }
      pthread_join(thread, nil)
      withExtendedLifetime(work) {}
      var untouched = 0
      while untouched < size / 8, words[untouched] == 0xA5A5_A5A5_A5A5_A5A5 { untouched += 1 }
      return size - untouched * 8
    }

    static func negated(_ depth: Int) -> Condition {
      var condition = Condition.compare(.attribute("a"), .equal, .value(.int(1)), [])
      for level in 0..<depth {
        let other = Condition.compare(
          .attribute("a"), .greater, .value(.int(Int64(level + 1_000))), [])
        condition =
          level % 3 == 0
          ? .any([condition, other])
          : level % 3 == 1
            ? .all([condition, .not(other)])
            : .not(condition)
      }
      return condition
    }

    static func sum(_ depth: Int) -> Condition {
      var sum = Operand.attribute("a")
      for level in 0..<depth {
        sum =
          level % 2 == 0
          ? .arithmetic(.add, sum, .value(.int(1))) : .function(.abs, .negated(sum))
      }
      return .compare(sum, .notEqual, .value(.null), [])
    }

    @Test("7.1: every pass over a condition", arguments: ["joins", "sums"])
    func passes(_ kind: String) throws {
      let schema = try Schema(
        entities: [
          EntityDescription(
            name: "E", attributes: [.init("id", .int64), .init("a", .int64, isOptional: true)],
            key: ["id"])
        ])
      let make = kind == "joins" ? Self.negated : Self.sum
      var passes: [(String, @Sendable (Condition) -> Void)] = [
        ("==", { _ = $0 == $0 }), ("hash", { _ = $0.hashValue }),
        ("print", { _ = $0.description }), ("canonical", { _ = $0.canonical() }),
        ("map", { _ = $0.mappingPaths { $0 } }),
      ]
      let providers: [PathProvider] = [.memory(), .lmdb(), .sqlite()]
      var stores: [any Store] = []
      for provider in providers {
        let store = try provider.make(schema: schema, options: StoreOptions())
        _ = try store.write {
          try $0.insert([DynamicRow("E", ["id": .int(1), "a": .int(1)])])
        }
        stores.append(store)
        passes.append(
          (
            provider.name,
            { condition in
              _ = try? store.read {
                _ = try $0.count(DynamicQuery("E", where: condition))
                return try $0.fetch(DynamicQuery("E", where: condition)).count
              }
            }
          ))
      }
      for (name, pass) in passes {
        let (few, many) = (make(30), make(90))
        let small = Self.bytes { pass(few) }
        let large = Self.bytes { pass(many) }
        let level = (large - small) / 60
        print("stack, \(kind), \(name): \(small) + \(level) a level")
        #expect(level < StackReserve.bytesPerLevel, "\(name)")
        #expect(small - 30 * level < StackReserve.base, "\(name)")
      }
      for store in stores { try store.close() }
      for provider in providers { try provider.cleanUp() }
    }
  }
#endif
