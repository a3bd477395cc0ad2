// A small player of Battleship: java Hello.java HOST PORT
import java.io.OutputStream;
import java.net.Socket;
import java.util.Scanner;

public class Hello {
    private static final int[] LENGTHS = {5, 4, 3, 3, 2};
    private static final int[] left = LENGTHS.clone();
    private static int next = 0;
    private static OutputStream out;

    public static void main(String[] words) throws Exception {
        Socket connection = new Socket(words[0], Integer.parseInt(words[1]));
        out = connection.getOutputStream();
        Scanner lines = new Scanner(connection.getInputStream()).useDelimiter("\r");
        boolean isFirst = false;
        while (lines.hasNext()) {
            String[] numbers = lines.next().replaceAll("[^0-9]+", " ").trim().split(" ");
            isFirst |= numbers[0].equals("4");
            if (numbers[0].equals("5") && isFirst) shoot();
            if (numbers[0].equals("1")) answer(Integer.parseInt(numbers[1]), Integer.parseInt(numbers[2]));
        }
    }

    private static void answer(int x, int y) throws Exception {
        int result = 1;
        if (y % 2 == 0 && x < LENGTHS[y / 2]) {
            left[y / 2] -= 1;
            int whole = 0;
            for (int cells : left) whole += cells;
            result = left[y / 2] > 0 ? 2 : whole > 0 ? 3 : 4;
        }
        out.write(("(2,[" + x + "," + y + "," + result + "]).\n").getBytes());
        if (result != 4) shoot();
    }

    private static void shoot() throws Exception {
        out.write(("(1,[" + next % 10 + "," + next / 10 + "]).\n").getBytes());
        next += 1;
    }
}
