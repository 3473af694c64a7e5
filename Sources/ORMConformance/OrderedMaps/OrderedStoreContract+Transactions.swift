internal import OrderedEngine

extension OrderedStoreContract {
  /// Snapshots, commits, rollbacks and savepoints.
  static var transactionCases: [Case] {
    [
      Case("a snapshot is fixed when made, whatever is committed later") { store in
        try store.letters("a", "b", "c")
        let old = [Pair("a", "a!"), Pair("b", "b!"), Pair("c", "c!")]
        let snapshot = try store.snapshot()
        defer { snapshot.end() }
        let cursor = try snapshot.cursor(in: 1)
        try require(try cursor.seek("a"))
        let (key, value) = (cursor.key, cursor.value)
        try store.write { batch in
          try batch.put("a", "changed", in: 1)
          try require(try batch.remove("b", in: 1))
          try batch.put("d", "d!", in: 1)
          try batch.put("x", "y", in: 7)
        }
        try store.write { try $0.removeAll(in: 1) }
        try require(Pair(Bytes(key), Bytes(value)) == old[0], "its bytes stay valid")
        try require(try cursor.next())
        try require(cursor.pair == old[1])
        try snapshot.expect(old, in: 1)
        try snapshot.expect([], in: 7)
        try store.read { snapshot in
          try snapshot.expect([], in: 1)
          try snapshot.expect([Pair("x", "y")], in: 7)
        }
      },
      Case("a snapshot that has ended may begin anew, on the newest commit") { store in
        try store.letters("a")
        let snapshot = try store.snapshot()
        defer { snapshot.end() }
        guard let restartable = snapshot as? any RestartableSnapshot else { return }
        let cursor = try snapshot.cursor(in: 1)
        try require(try cursor.seek("a"))
        try require(try !restartable.restart(), "it has not ended")
        try snapshot.expect([Pair("a", "a!")], in: 1)
        snapshot.end()
        try store.write { try $0.put("b", "b!", in: 1) }
        guard try restartable.restart() else { return }
        try snapshot.expect([Pair("a", "a!"), Pair("b", "b!")], in: 1)
        try store.write { try $0.put("c", "c!", in: 1) }
        try snapshot.expect([Pair("a", "a!"), Pair("b", "b!")], in: 1)
        snapshot.end()
        snapshot.end()
        try require(try restartable.restart())
        try require(snapshot.commitNumber != 0)
        try snapshot.expect([Pair("a", "a!"), Pair("b", "b!"), Pair("c", "c!")], in: 1)
      },
      Case("a snapshot made during a batch sees the commit before it, always") { store in
        try store.letters("a")
        let batch = try store.batch(wait: 5)
        defer { batch.end() }
        try batch.put("b", "b!", in: 1)
        let snapshot = try store.snapshot()
        defer { snapshot.end() }
        try snapshot.expect([Pair("a", "a!")], in: 1)
        try batch.put("a", "new", in: 1)
        try snapshot.expect([Pair("a", "a!")], in: 1)
        try batch.commit()
        try snapshot.expect([Pair("a", "a!")], in: 1)
        try store.read { try $0.expect([Pair("a", "new"), Pair("b", "b!")], in: 1) }
      },
      Case("snapshots of several commits, ended in any order, each keep their own") { store in
        func pairs(_ version: Int) -> [Pair] {
          (0..<400).map { Pair(key($0), key($0 % 7 <= version ? version : 0)) }
        }
        for order in [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [2, 0, 4, 1, 3]] {
          try store.write { try $0.removeAll(in: 1) }
          var open: [Int: Store.Snapshot] = [:]
          for version in 0..<5 {
            try store.write { batch in
              for pair in pairs(version) { try batch.put(pair.key, pair.value, in: 1) }
            }
            open[version] = try store.snapshot()
          }
          for version in order {
            for (other, snapshot) in open { try snapshot.expect(pairs(other), in: 1) }
            open.removeValue(forKey: version)?.end()
          }
          try store.read { try $0.expect(pairs(4), in: 1) }
        }
      },
      Case("a batch that ends without commit leaves nothing") { store in
        try store.letters("a", "b")
        let batch = try store.batch(wait: 5)
        try batch.put("a", "changed", in: 1)
        try require(try batch.remove("b", in: 1))
        for number in 0..<2_000 { try batch.put(key(number), key(number), in: 2) }
        batch.end()
        batch.end()
        try store.read { snapshot in
          try snapshot.expect([Pair("a", "a!"), Pair("b", "b!")], in: 1)
          try snapshot.expect([], in: 2)
        }
        try store.letters("c")
        try store.read { try $0.expect(["a", "b", "c"].map { Pair($0, $0 + "!") }, in: 1) }
      },
      Case("end may be called twice, and after commit") { store in
        let batch = try store.batch(wait: 5)
        try batch.put("k", "v", in: 1)
        try batch.commit()
        batch.end()
        batch.end()
        let snapshot = try store.snapshot()
        snapshot.end()
        snapshot.end()
        try store.read { try $0.expect([Pair("k", "v")], in: 1) }
      },
      Case("a savepoint that succeeds is part of the batch") { store in
        try store.write { batch in
          try batch.put("a", "1", in: 1)
          try batch.savepoint {
            try batch.put("a", "2", in: 1)
            try batch.put("b", "2", in: 1)
            try require(try batch.value("a", in: 1) == "2")
          }
          try batch.put("c", "3", in: 1)
        }
        try store.read {
          try $0.expect([Pair("a", "2"), Pair("b", "2"), Pair("c", "3")], in: 1)
        }
      },
      Case("a savepoint that throws undoes what was written in it, and rethrows") { store in
        try store.letters("a", "b")
        try store.write { batch in
          try batch.put("c", "c!", in: 1)
          try requireError(Interruption(number: 1)) {
            try batch.savepoint {
              try batch.put("a", "changed", in: 1)
              try batch.put("c", "changed", in: 1)
              try require(try batch.remove("b", in: 1))
              for number in 0..<2_000 { try batch.put(key(number), key(number), in: 2) }
              try batch.removeAll(in: 1)
              throw Interruption(number: 1)
            }
          }
          try batch.expect([Pair("a", "a!"), Pair("b", "b!"), Pair("c", "c!")], in: 1)
          try batch.expect([], in: 2)
          try batch.put("d", "d!", in: 1)
        }
        try store.read {
          try $0.expect(["a", "b", "c", "d"].map { Pair($0, $0 + "!") }, in: 1)
        }
      },
      Case("savepoints nest: an inner one undone, an outer one undone with all in it") { store in
        try store.write { batch in
          try batch.put("0", "x", in: 1)
          try batch.savepoint {
            try batch.put("1", "x", in: 1)
            try requireError(Interruption(number: 2)) {
              try batch.savepoint {
                try batch.put("0", "y", in: 1)
                try batch.put("1", "y", in: 1)
                throw Interruption(number: 2)
              }
            }
            try batch.expect([Pair("0", "x"), Pair("1", "x")], in: 1)
            try batch.savepoint { try batch.put("2", "x", in: 1) }
          }
          try requireError(Interruption(number: 3)) {
            try batch.savepoint {
              try batch.savepoint {
                try batch.put("2", "z", in: 1)
                try batch.savepoint { try batch.put("3", "z", in: 1) }
              }
              try batch.expect(
                [Pair("0", "x"), Pair("1", "x"), Pair("2", "z"), Pair("3", "z")], in: 1)
              throw Interruption(number: 3)
            }
          }
          try batch.expect(["0", "1", "2"].map { Pair($0, "x") }, in: 1)
        }
        try store.read { try $0.expect(["0", "1", "2"].map { Pair($0, "x") }, in: 1) }
      },
      Case("cursors made before a savepoint can seek in it and after it") { store in
        try store.letters("a", "b")
        try store.write { batch in
          let cursor = try batch.cursor(in: 1)
          try require(try cursor.seek("a"))
          try requireError(Interruption(number: 5)) {
            try batch.savepoint {
              try require(try !cursor.next(), "it stands nowhere once the savepoint began")
              try batch.put("aa", "x", in: 1)
              try require(try cursor.seek("aa"))
              throw Interruption(number: 5)
            }
          }
          try require(try !cursor.next(), "it stands nowhere once the savepoint ended")
          try require(try cursor.seek("aa"))
          try require(cursor.pair == Pair("b", "b!"))
        }
      },
      Case("a batch rolled back after savepoints leaves nothing") { store in
        try store.letters("a")
        let batch = try store.batch(wait: 5)
        try batch.savepoint {
          try batch.put("b", "x", in: 1)
          try batch.savepoint { try batch.put("a", "x", in: 1) }
        }
        batch.end()
        try store.read { try $0.expect([Pair("a", "a!")], in: 1) }
      },
    ]
  }
}
